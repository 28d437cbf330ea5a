import * as z from 'zod';
import type { MessagePlace } from '../../core/mail/listed-message.ts';
import type {
  IndexChange,
  IndexedAccount,
  IndexedFolder,
  IndexedPlace,
  IndexPage,
  IndexQuery,
  IndexSize,
} from '../../core/ports/mail-index.ts';

/** The messages to and from the thread that has the file of an index open. */

export const indexedAccount: z.ZodType<IndexedAccount> = z.object({
  ownerId: z.string(),
  accountId: z.int(),
});
const path = z.string();
const folderFields = {
  path,
  uidValidity: z.string(),
  uidNext: z.int().nullable(),
  state: z.string().nullable(),
};
export const indexedFolder: z.ZodType<IndexedFolder> = z.object(folderFields);
const uids = z.array(z.int());

const change: z.ZodType<IndexChange> = z.object({
  ...folderFields,
  remove: uids,
  add: z.array(
    z.object({
      uid: z.int(),
      receivedMs: z.int(),
      text: z.object({ sender: z.string(), head: z.string(), body: z.string(), isWhole: z.boolean() }),
      linkedIds: z.array(z.string()).nullable(),
    }),
  ),
});

const place: z.ZodType<MessagePlace> = z.object({ path, uidValidity: z.string(), uid: z.int() });
const placeFields = { uid: z.int(), internalDateMs: z.int() };
const positionFields = { ...placeFields, folderKey: z.string() };

const query: z.ZodType<IndexQuery> = z.object({
  words: z.array(z.string()),
  from: z.union([z.string(), z.undefined()]),
  sinceMs: z.union([z.number(), z.undefined()]),
  folders: z.array(z.object({ path, among: z.union([uids, z.undefined()]) })),
  after: z.union([z.object(positionFields), z.undefined()]),
  limit: z.int(),
});

const page: z.ZodType<IndexPage> = z.object({
  hits: z.array(z.object({ ...positionFields, path })),
  more: z.boolean(),
  total: z.int(),
  isExact: z.boolean(),
  unknown: z.map(z.string(), z.int()),
});

const size: z.ZodType<IndexSize> = z.object({ messages: z.int(), bytes: z.int() });

const indexedPlace: z.ZodType<IndexedPlace> = z.object({ path, ...placeFields });

const nothing = z.undefined();

/** What the thread does: the arguments and the answer of each method. */
export const METHODS = {
  accounts: { arguments: z.tuple([]), answer: z.array(indexedAccount) },
  folders: { arguments: z.tuple([indexedAccount]), answer: z.array(indexedFolder) },
  uids: { arguments: z.tuple([indexedAccount, path]), answer: uids },
  save: { arguments: z.tuple([indexedAccount, change]), answer: nothing },
  forgetFolder: { arguments: z.tuple([indexedAccount, path]), answer: z.boolean() },
  forgetAccount: { arguments: z.tuple([indexedAccount]), answer: z.boolean() },
  fetched: { arguments: z.tuple([indexedAccount, z.int()]), answer: z.int() },
  addFetched: { arguments: z.tuple([indexedAccount, z.int(), z.int()]), answer: z.int() },
  size: { arguments: z.tuple([indexedAccount]), answer: size },
  search: { arguments: z.tuple([indexedAccount, query]), answer: z.union([page, z.literal('unanswerable')]) },
  conversation: {
    arguments: z.tuple([indexedAccount, place]),
    answer: z.union([z.array(indexedPlace), z.literal('unanswerable')]),
  },
  close: { arguments: z.tuple([]), answer: nothing },
};

export type MethodName = keyof typeof METHODS;
export type MethodArguments<Name extends MethodName> = z.infer<(typeof METHODS)[Name]['arguments']>;
export type MethodAnswer<Name extends MethodName> = z.infer<(typeof METHODS)[Name]['answer']>;

export const Order = z.object({
  id: z.int(),
  name: z.enum(Object.keys(METHODS) as [MethodName, ...MethodName[]]),
  arguments: z.array(z.unknown()),
});

export const Report = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('done'), id: z.int(), answer: z.unknown() }),
  /** `reason`: in plain words, without what is indexed. */
  z.object({ kind: z.literal('failed'), id: z.int(), reason: z.string() }),
]);

/** What the thread is started with. */
export const ThreadData = z.object({ file: z.string(), secretKey: z.instanceof(Uint8Array) });
