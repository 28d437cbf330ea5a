import type { GistText } from '../actions/gist.ts';
import type { RequestSummary } from '../call/context.ts';
import type { Log } from '../ports/log.ts';
import { neutralise } from '../safety/untrusted.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { oneLine } from '../text/one-line.ts';
import { shortened } from '../text/shortened.ts';
import { findTool } from '../tools/catalogue.ts';
import { isWrite } from '../tools/define-tool.ts';
import type { ApprovalGist } from './approval-views.ts';
import { requestGist } from './request-gist.ts';

/**
 * What a key's list of its requests says of each. It has no text that others wrote: a key may list its requests without
 * permission to read mail or events, while it is paused, and beyond its fences.
 */

const SUMMARY_CHARS = 120;

export function requestSummaryOf(keyring: Keyring, log: Log): RequestSummary {
  return (approval, sealedGist) => {
    const { gist } = requestGist(keyring, log, approval, sealedGist);
    const text = summaryOf(gist, ownTextsOf(approval.tool));
    return text === undefined ? undefined : shortened(neutralise(oneLine(text), ''), SUMMARY_CHARS);
  };
}

function ownTextsOf(name: string): readonly GistText[] {
  const tool = findTool(name);
  return tool !== undefined && isWrite(tool) ? (tool.ownTexts ?? []) : [];
}

function summaryOf(gist: ApprovalGist, own: readonly GistText[]): string | undefined {
  switch (gist.kind) {
    case 'message': {
      const [first = '', ...others] = gist.to;
      const named = others.length === 0 ? first : `${first} +${others.length}`;
      const people = own.includes('to') ? named : counted(gist.to.length, 'recipient');
      return own.includes('subject') ? `${people}: ${gist.subject}` : people;
    }
    case 'event':
      return own.includes('title') ? gist.title : counted(1, 'event');
    case 'targets': {
      const messages = counted(gist.more + 1, 'message');
      return own.includes('into') && gist.into !== undefined ? `${messages}: ${gist.into}` : messages;
    }
    case 'tracker': {
      const tracker = counted(1, 'tracker');
      return own.includes('status') && gist.status !== undefined ? `${tracker}: ${gist.status}` : tracker;
    }
    default:
      return undefined;
  }
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
