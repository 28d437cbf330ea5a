import * as z from 'zod';
import { KEY_DAYS_DEFAULT, KEY_DAYS_MAX } from '../../../core/keys/credential.ts';
import {
  effectiveMode,
  GROUPS,
  type Group,
  type Mode,
  type Modes,
  modesOf,
  type Plan,
  PRESETS,
  type Preset,
} from '../../../core/keys/permissions.ts';
import { Choice, Field } from '../forms/forms.tsx';
import { GROUP_TITLES, MODE_TITLES } from '../labels.ts';
import { modesInWords } from './modes-in-words.ts';

/** The fields of what a key or a sign-in may do, in the forms that create and change it. */

const presetNames: readonly Preset[] = ['read', 'organise', 'full'];

/** What a new key or sign-in may do, and for how long. Its modes are apart, in `readModes`. */
export const permissionForm = z.object({
  preset: z.enum(presetNames, 'Preset: choose one from the list.'),
  days: z
    .string()
    .trim()
    .regex(/^\d{1,3}$/, `Days: enter a number from 1 to ${KEY_DAYS_MAX}.`)
    .transform(Number)
    .refine((days) => days >= 1 && days <= KEY_DAYS_MAX, `Days: enter a number from 1 to ${KEY_DAYS_MAX}.`),
});

/** The groups with a chosen mode; undefined if one of them is invalid. */
export function readModes(fields: URLSearchParams): Partial<Modes> | undefined {
  const chosen: Partial<Record<Group, Mode>> = {};
  for (const group of GROUPS) {
    const value = fields.get(group) ?? '';
    if (value === '') continue;
    const mode = modesOf(group).find((known) => known === value);
    if (mode === undefined) return undefined;
    chosen[group] = mode;
  }
  return chosen;
}

/** The fields of `permissionForm` and `readModes`, with what each preset contains. */
export function PermissionFields({ plan, fields }: { plan: Plan; fields: URLSearchParams }) {
  return (
    <>
      <div class="columns">
        <Choice
          id="preset"
          label="Preset"
          name="preset"
          value={fields.get('preset') ?? 'read'}
          options={presetNames.map((preset) => [preset, PRESETS[preset].title] as const)}
        />
        <Field
          label="Days until it ends"
          name="days"
          type="number"
          min={1}
          max={KEY_DAYS_MAX}
          value={fields.get('days') ?? String(KEY_DAYS_DEFAULT)}
          required
        />
      </div>
      <dl class="facts presets">
        {presetNames.map((preset) => (
          <div>
            <dt>{PRESETS[preset].title}</dt>
            <dd>{modesInWords(PRESETS[preset].modes, plan)}</dd>
          </div>
        ))}
      </dl>
      <details>
        <summary>Modes other than the preset's</summary>
        <div class="columns modes">
          {GROUPS.map((group) => (
            <ModeChoice
              of="new"
              group={group}
              plan={plan}
              value={fields.get(group) ?? ''}
              otherwise="as the preset says"
            />
          ))}
        </div>
      </details>
    </>
  );
}

/** Offers only the modes of the group. `of`: the key's id; `otherwise`: the text for choosing none. */
export function ModeChoice(props: {
  of: string;
  group: Group;
  plan: Plan;
  value: string;
  otherwise?: string;
}) {
  const { group, plan } = props;
  const options = modesOf(group).map((mode) => [mode, modeText(group, mode, plan)] as const);
  return (
    <Choice
      id={`${props.of}-${group}`}
      label={
        <>
          {GROUP_TITLES[group]} <small>{group}</small>
        </>
      }
      name={group}
      value={props.value}
      options={props.otherwise === undefined ? options : [['', props.otherwise], ...options]}
    />
  );
}

function modeText(group: Group, mode: Mode, plan: Plan): string {
  const counts = effectiveMode(group, mode, plan);
  return counts === mode ? MODE_TITLES[mode] : `${MODE_TITLES[mode]} (on your plan: ${MODE_TITLES[counts]})`;
}
