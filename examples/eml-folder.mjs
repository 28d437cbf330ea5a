/**
 * A mailbox that is a folder on disk: a directory for each mail folder, an .eml file for each message. What is sent
 * goes into `outbox`, for another program to deliver. It shows what an adapter has to do, and passes the contract
 * suite for mail (`mailContract` of countersign/testing).
 */
import fs from 'node:fs';
import { join } from 'node:path';
import {
  folderKey,
  headerBlock,
  isSentTo,
  MailError,
  messageRow,
  parseHeaders,
  SENT_COPIES_MAX,
  sentCopyOf,
} from 'countersign/adapter';

/** The folders of a new mailbox, with their roles. */
const FOLDERS = { INBOX: null, Sent: 'sent', Drafts: 'drafts', Trash: 'trash' };
/** A message is the file `UID.FLAGS.eml`. The file's time is the time of receipt. */
const LETTERS = { S: 'seen', F: 'flagged', A: 'answered', W: 'forwarded', D: 'draft' };

/** @param outbox the directory for what is sent; the `settings` of an account resolve to `{ folder }` */
export function emlFolderMail({ outbox }) {
  // Even `..` is a valid name of a folder.
  const directory = (root, path) => join(root, encodeURIComponent(path).replaceAll('.', '%2E'));

  async function open({ account, signal }) {
    if (signal.aborted) throw new MailError('unavailable', 'the caller stopped waiting');
    const { folder: root } = await account.settings();
    for (const path of Object.keys(FOLDERS)) fs.mkdirSync(directory(root, path), { recursive: true });
    return root;
  }

  const pathsIn = (root) => fs.readdirSync(root).map(decodeURIComponent);

  /** All messages of a folder, by UID. */
  function messagesIn(root, path) {
    if (!fs.existsSync(directory(root, path))) throw new MailError('not_found', 'there is no such folder');
    const files = fs.readdirSync(directory(root, path)).filter((name) => name.endsWith('.eml'));
    return files.map((name) => messageOf(root, path, name)).sort((a, b) => a.place.uid - b.place.uid);
  }

  function messageOf(root, path, name) {
    const file = join(directory(root, path), name);
    const [uid, letters] = name.split('.');
    const { mtimeMs, size } = fs.statSync(file);
    return {
      file,
      place: { path, uidValidity: validity(root, path), uid: Number(uid) },
      stableId: null,
      get header() {
        return headerBlock(fs.readFileSync(file));
      },
      internalDate: new Date(Math.floor(mtimeMs / 1000) * 1000),
      sizeBytes: size,
      flags: new Set([...letters].map((letter) => LETTERS[letter])),
    };
  }

  /** A directory that was recreated under the same name is a different folder. */
  const validity = (root, path) => String(Math.floor(fs.statSync(directory(root, path)).birthtimeMs));

  const everything = (root) => pathsIn(root).flatMap((path) => messagesIn(root, path));
  const ifThere = (root, path) => (fs.existsSync(directory(root, path)) ? messagesIn(root, path) : []);
  const lookUp = (root, { path, uidValidity, uid }) =>
    ifThere(root, path).find(({ place }) => place.uid === uid && place.uidValidity === uidValidity);

  function at(root, place) {
    const message = lookUp(root, place);
    if (message === undefined) throw new MailError('not_found', 'there is no such message');
    return message;
  }

  const isUnread = ({ flags }) => !flags.has('seen');
  const source = ({ file }) => ({ kind: 'whole', bytes: fs.readFileSync(file) });

  function fileOf(root, path, uid, flags) {
    const letters = Object.keys(LETTERS).filter((letter) => flags.has(LETTERS[letter]));
    return join(directory(root, path), `${uid}.${letters.join('')}.eml`);
  }

  const counter = (root, path) => join(directory(root, path), 'next-uid');
  const nextUid = (root, path) =>
    fs.existsSync(counter(root, path)) ? Number(fs.readFileSync(counter(root, path), 'utf8')) : 1;

  /** A UID is never used twice, even after its message has been moved away. */
  function newFile(root, path, flags) {
    const uid = nextUid(root, path);
    fs.writeFileSync(counter(root, path), String(uid + 1));
    return fileOf(root, path, uid, flags);
  }

  function put(root, path, bytes, flags, date) {
    if (!fs.existsSync(directory(root, path))) throw new MailError('not_found', 'there is no such folder');
    const file = newFile(root, path, flags);
    fs.writeFileSync(file, bytes);
    fs.utimesSync(file, date, date);
  }

  async function begin(start) {
    if (!(await start())) throw new MailError('not_started', 'the change was cancelled');
  }

  const byUid = (a, b) => b.uid - a.uid;
  const byDate = (a, b) =>
    b.internalDateMs - a.internalDateMs ||
    (a.folderKey < b.folderKey ? -1 : a.folderKey > b.folderKey ? 1 : byUid(a, b));
  const positionOf = ({ place, internalDate }) => ({
    uid: place.uid,
    internalDateMs: internalDate.getTime(),
  });
  const positionInAll = (one) => ({ ...positionOf(one), folderKey: folderKey(one.place.path) });

  /** A page of the messages after the position `after`, in the order of `compare`. */
  function page(messages, { after, limit }, compare, position) {
    const behind = messages.filter((one) => after === undefined || compare(after, position(one)) < 0);
    behind.sort((a, b) => compare(position(a), position(b)));
    return { rows: behind.slice(0, limit), more: behind.length > limit, total: messages.length };
  }

  /** The ids by which the messages of a conversation name each other. */
  function idsOf({ header }) {
    const { messageId, references } = parseHeaders(header);
    return messageId === null ? references : [messageId, ...references];
  }

  /** Letters that look the same are the same, however they are composed, and however wide. */
  function letters(text) {
    return text.normalize('NFKC').toLowerCase();
  }

  async function matching(messages, { words, from = '', since, unread, contains }) {
    const found = [];
    for (const message of messages) {
      if (unread && !isUnread(message)) continue;
      if (since !== undefined && message.internalDate.getTime() < Date.parse(since)) continue;
      if (!letters(messageRow(message).from).includes(letters(from))) continue;
      const says = await Promise.all(words.map((word) => contains(source(message), word)));
      if (says.every(Boolean)) found.push(message);
    }
    return found;
  }

  const mail = {
    /** For the program that delivers mail: puts a message into a folder, unread. */
    async deliver(root, path, raw, receivedAt) {
      put(root, path, raw, new Set(), receivedAt);
    },

    verify: async (call) => void (await open(call)),
    folders: async (call) =>
      pathsIn(await open(call)).map((path) => ({ path, delimiter: null, specialUse: FOLDERS[path] ?? null })),
    async createFolder(call, name) {
      fs.mkdirSync(directory(await open(call), name), { recursive: true });
      return name;
    },

    async list(call, query) {
      const root = await open(call);
      const messages = messagesIn(root, query.path).filter((one) => !query.unread || isUnread(one));
      if (![undefined, null, validity(root, query.path)].includes(query.after?.uidValidity)) {
        throw new MailError('not_found', 'the folder was recreated since that page');
      }
      return page(messages, query, query.order === 'uid' ? byUid : byDate, positionOf);
    },
    row: async (call, place) => lookUp(await open(call), place),

    async setFlag(call, place, flag, on, start) {
      const root = await open(call);
      const { file, flags } = at(root, place);
      await begin(start);
      flags[on ? 'add' : 'delete'](flag);
      fs.renameSync(file, fileOf(root, place.path, place.uid, flags));
      return true;
    },
    async counts(call) {
      const root = await open(call);
      return (await mail.folders(call)).map((folder) => {
        const messages = messagesIn(root, folder.path);
        return { ...folder, total: messages.length, unread: messages.filter(isUnread).length };
      });
    },

    async read(call, place) {
      const row = at(await open(call), place);
      return { row, source: source(row) };
    },
    async readAll(call, places) {
      const root = await open(call);
      const rows = places.map((place) => lookUp(root, place));
      return rows.map((row) => row && { row, source: source(row) });
    },
    attachment: async (call, place) => source(at(await open(call), place)),

    // For an index beside the mailbox.
    readTexts: (call, places) => mail.readAll(call, places),
    async rows(call, places) {
      const root = await open(call);
      return places.map((place) => lookUp(root, place));
    },
    async states(call) {
      const root = await open(call);
      return pathsIn(root).map((path) => {
        const uidNext = nextUid(root, path);
        const state = `${uidNext} ${messagesIn(root, path).length}`;
        return { path, isPart: false, uidValidity: validity(root, path), uidNext, state };
      });
    },
    async uids(call, { path, unread }) {
      const root = await open(call);
      const messages = messagesIn(root, path).filter((one) => !unread || isUnread(one));
      return { uidValidity: validity(root, path), uids: messages.map(({ place }) => place.uid) };
    },

    async find(call, { internalDate, sizeBytes }) {
      const second = Math.floor(internalDate.getTime() / 1000) * 1000;
      const isAlike = (one) => one.sizeBytes === sizeBytes && one.internalDate.getTime() === second;
      return everything(await open(call)).filter(isAlike);
    },
    async search(call, query) {
      const root = await open(call);
      const messages = query.path === undefined ? everything(root) : messagesIn(root, query.path);
      return page(await matching(messages, query), query, byDate, positionInAll);
    },
    async thread(call, place) {
      const root = await open(call);
      const begun = at(root, place);
      const ids = new Set(idsOf(begun));
      const isLinked = (one) => one.file === begun.file || idsOf(one).some((id) => ids.has(id));
      for (;;) {
        const found = everything(root).filter(isLinked);
        const before = ids.size;
        for (const one of found) for (const id of idsOf(one)) ids.add(id);
        if (ids.size === before) return found;
      }
    },

    async move(call, place, to, start) {
      const root = await open(call);
      const { file, flags } = at(root, place);
      messagesIn(root, to);
      await begin(start);
      if (to !== place.path) fs.renameSync(file, newFile(root, to, flags));
    },
    async label(call, place, { name, mayCopyInto }, start) {
      const root = await open(call);
      const { file, flags, internalDate } = at(root, place);
      await begin(start);
      // A second folder with the same letters, only composed in another way, would look the same.
      const folders = await mail.folders(call);
      const path = folders.find((one) => letters(one.path) === letters(name))?.path ?? name;
      if (!mayCopyInto(path)) throw new MailError('refused', 'the folder has a special purpose');
      await mail.createFolder(call, path);
      if (path !== place.path) put(root, path, fs.readFileSync(file), flags, internalDate);
      return 'copy';
    },

    async transmit(call, { envelope, bytes, messageId }, start) {
      await open(call);
      const isUnknown = envelope.to.some((address) => address.endsWith('.invalid'));
      if (isUnknown) throw new MailError('refused', 'a recipient is at a domain that does not exist');
      fs.mkdirSync(outbox, { recursive: true });
      await begin(start);
      fs.writeFileSync(join(outbox, `${encodeURIComponent(messageId)}.eml`), bytes);
    },
    async saveSent(call, path, { bytes, date, messageId }) {
      if (await mail.messageWithId(call, path, messageId)) return;
      put(await open(call), path, bytes, new Set(['seen']), date);
    },
    async messageWithId(call, path, messageId) {
      const messages = ifThere(await open(call), path);
      return messages.find(({ header }) => parseHeaders(header).messageId === messageId);
    },
    async sentCopies(call, path, addresses) {
      const headers = ifThere(await open(call), path).map(({ header }) => header);
      const own = call.account.email.toLowerCase();
      const copiesTo = (address) =>
        headers.filter((header) => {
          const copy = sentCopyOf(header);
          return copy.from.includes(own) && isSentTo(copy, address);
        });
      return addresses.flatMap((address) => copiesTo(address).reverse().slice(0, SENT_COPIES_MAX));
    },

    // A folder announces nothing, so it is visited regularly.
    watchInbox: async () => 'cannot_announce',
    async visitInbox(call, visit) {
      const root = await open(call);
      await visit({
        uidValidity: validity(root, 'INBOX'),
        uidNext: nextUid(root, 'INBOX'),
        arrivals: async (uid, limit) =>
          messagesIn(root, 'INBOX')
            .filter(({ place }) => place.uid > uid)
            .slice(0, limit),
      });
    },

    forget: async () => undefined,
    close: async () => undefined,
  };
  return mail;
}
