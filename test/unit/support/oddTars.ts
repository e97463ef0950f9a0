/** Archives that container engines refuse, and odd ones that they accept. */

import { Buffer } from 'node:buffer';

interface RawEntry {
  readonly name: string;
  /** One character, `0` by default. */
  readonly type?: string;
  readonly link?: string;
  readonly data?: string | Buffer;
  /** Fields that are written as they are: offset and text. */
  readonly raw?: readonly (readonly [number, string])[];
}

/** Returns the bytes of an entry, whatever it is. */
function entry({ name, type = '0', link = '', data = '', raw = [] }: RawEntry): Buffer {
  const contents = Buffer.from(data);
  const header = Buffer.alloc(512);
  const fields = [
    ...([
      [0, name],
      [100, '0000644'],
      [108, '0000000'],
      [116, '0000000'],
    ] as const),
    ...([
      [124, contents.length.toString(8).padStart(11, '0')],
      [136, '00000000000'],
    ] as const),
    ...([
      [156, type],
      [157, link],
      [257, 'ustar\x0000'],
    ] as const),
    ...raw,
  ];
  for (const [at, text] of fields) header.write(text, at, 'latin1');
  header.write(' '.repeat(8), 148);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, contents, Buffer.alloc(-contents.length & 511)]);
}

/** Returns a pax header with one record. */
function pax(key: string, value: string): Buffer {
  const record = ` ${key}=${value}\n`;
  let length = record.length;
  while (String(length).length + record.length > length) length++;
  return entry({ name: 'pax', type: 'x', data: `${length}${record}` });
}

/** Returns a complete archive. */
export function rawTar(...entries: readonly (RawEntry | Buffer)[]): Buffer {
  const all = entries.map((one) => (Buffer.isBuffer(one) ? one : entry(one)));
  return Buffer.concat([...all, Buffer.alloc(1024)]);
}

const FILE = { name: 'f', data: 'hello' };
const FOLDER = { name: 'd/', type: '5' };

/** By what is wrong. */
export const REFUSED_TARS: Readonly<Record<string, Buffer>> = {
  ...Object.fromEntries(
    '7AMSV '.split('').map((type) => [`type "${type}"`, rawTar(FILE, { name: 'x', type })]),
  ),
  'a hard link to nothing': rawTar({ name: 'l', type: '1', link: 'nothing' }, FILE),
  'a hard link to a later file': rawTar({ name: 'l', type: '1', link: 'f' }, FILE),
  'a hard link to itself': rawTar({ name: 'l', type: '1', link: 'l' }),
  'a hard link to a folder': rawTar(FOLDER, { name: 'l', type: '1', link: 'd' }),
  'a hard link out of the folder': rawTar({ name: 'l', type: '1', link: '../../etc/passwd' }),
  'a link to nowhere': rawTar({ name: 'l', type: '2' }),
  'a file below a file': rawTar(FILE, { name: 'f/x' }),
  'a name of 256 letters': rawTar(pax('path', 'n'.repeat(256)), FILE),
  'a path of 5000 letters': rawTar(pax('path', Array(25).fill('n'.repeat(199)).join('/')), FILE),
  'a pax header of 1 MiB': rawTar(pax('comment', 'x'.repeat(1024 * 1024)), FILE),
  'a pax header without records': rawTar(entry({ name: 'x', type: 'x', data: 'nonsense!!' }), FILE),
  'a pax header with a wrong length': rawTar(
    entry({ name: 'x', type: 'x', data: '99 a=b\n...' }),
    FILE,
  ),
  'a user that is no number': rawTar(pax('uid', 'zz'), FILE),
  'a date that is no number': rawTar(pax('mtime', 'zz'), FILE),
  'a path with NUL': rawTar(pax('path', 'a\0b'), FILE),
  'a mode that is no number': rawTar({ name: 'f', raw: [[100, 'zzzzzzz']] }),
  'a user that is not octal': rawTar({ name: 'f', raw: [[108, '0000009']] }),
  'a date in words': rawTar({ name: 'f', raw: [[136, '0000000000x']] }),
};

/** By what is odd. */
export const ACCEPTED_TARS: Readonly<Record<string, Buffer>> = {
  'an old file': rawTar({ ...FILE, type: '\0' }),
  'an old folder': rawTar({ name: 'd/', type: '\0' }, { name: 'd/x' }),
  'a global pax header': rawTar(entry({ name: 'g', type: 'g', data: '12 a=bcdefg\n' }), FILE),
  'a folder with a size': rawTar({ ...FOLDER, raw: [[124, '00000001000']] }, FILE),
  'a file twice': rawTar(FILE, FILE),
  'a file that ends in a slash': rawTar({ name: 'x/' }, FILE),
  'links in all directions': rawTar(
    FILE,
    { name: 'in', type: '2', link: 'f' },
    { name: 'abs', type: '2', link: '/etc/x' },
    { name: 'hard', type: '1', link: './f' },
    { name: 'harder', type: '1', link: '/f' },
  ),
  'a file below a link': rawTar(
    FOLDER,
    { name: 'l', type: '2', link: 'd' },
    { name: 'l/x' },
    { name: 'h', type: '1', link: 'l/x' },
  ),
  'a long name': rawTar(
    entry({ name: 'n', type: 'L', data: `${'n'.repeat(200)}\0` }),
    FILE,
    entry({ name: 'n', type: 'K', data: `${'n'.repeat(200)}\0` }),
    { name: 'h', type: '1', link: 'x' },
  ),
  'a name of 255 letters': rawTar(pax('path', 'n'.repeat(255)), FILE),
  'empty numbers': rawTar({
    name: 'f',
    raw: [
      [100, ' '.repeat(7)],
      [108, '\0'.repeat(7)],
    ],
  }),
  'names that are not UTF-8': rawTar(
    { name: 'caf\xe9/', type: '5' },
    { name: 'caf\xe8' },
    { name: 'l', type: '1', link: 'caf\xe8' },
  ),
};
