import { quotable } from '../../base/plainText.ts';
import { InputError } from '../errors.ts';
import { asRecord, asText } from '../wire/wire.ts';

/** A mount in the form of `HostConfig.Mounts`. */
export interface TypedMount {
  readonly Type: 'bind' | 'volume';
  readonly Source: string;
  readonly Target: string;
  readonly ReadOnly?: boolean;
  readonly BindOptions?: object;
  readonly VolumeOptions?: object;
}

/** Other names of a key, as the CLI accepts them. */
const SAME: Readonly<Record<string, string>> = {
  src: 'source',
  dst: 'target',
  destination: 'target',
  ro: 'readonly',
};

/** Keys with an option of their own: the field of the mount, and the one in it. */
const OPTIONS: readonly (readonly [
  key: string,
  part: 'BindOptions' | 'VolumeOptions',
  field: string,
  isFlag: boolean,
])[] = [
  ['bind-propagation', 'BindOptions', 'Propagation', false],
  ['bind-create-src', 'BindOptions', 'CreateMountpoint', true],
  ['volume-nocopy', 'VolumeOptions', 'NoCopy', true],
  ['volume-subpath', 'VolumeOptions', 'Subpath', false],
];

/** Whether a mount is written in this form. */
export function isTypedMount(text: string): boolean {
  return text.startsWith('type=');
}

/** Parses one mount. @throws InputError for an unknown type or key. */
export function parseTypedMount(text: string): TypedMount {
  const given = new Map(
    fieldsOf(text).map((field) => {
      const [key = ''] = field.split('=', 1);
      return [SAME[key] ?? key, field.slice(key.length + 1)] as const;
    }),
  );
  const Type = given.get('type');
  const unknown = [...given.keys()].find((key) => !KNOWN.has(key));
  if ((Type !== 'bind' && Type !== 'volume') || unknown !== undefined) {
    throw InputError.of(
      'The mount "{0}" has an unknown type or option. Use the form type=bind,source=/srv,target=/data,readonly.',
      quotable(text),
    );
  }
  const Source = given.get('source') ?? '';
  const Target = given.get('target') ?? '';
  const parts = OPTIONS.filter(([key]) => given.has(key)).map(([key, part, field, isFlag]) => {
    const value = given.get(key) ?? '';
    return [part, field, isFlag ? isOn(value) : value] as const;
  });
  const optionsIn = (name: string): object =>
    Object.fromEntries(parts.filter(([part]) => part === name).map(([, ...entry]) => entry));
  const names = new Set(parts.map(([part]) => part));
  const more = Object.fromEntries([...names].map((name) => [name, optionsIn(name)]));
  return { Type, Source, Target, ...(isOn(given.get('readonly')) && { ReadOnly: true }), ...more };
}

const KNOWN: ReadonlySet<string> = new Set([
  ...['type', 'source', 'target', 'readonly'],
  ...OPTIONS.map(([key]) => key),
]);

function isOn(value: string | undefined): boolean {
  return value !== undefined && value !== 'false' && value !== '0';
}

/**
 * Formats a typed mount of a container; undefined if it has an option that this form cannot express.
 *
 * @param mount an entry of `HostConfig.Mounts`.
 */
export function formatTypedMount(mount: Readonly<Record<string, unknown>>): string | undefined {
  const [type, source, target] = [mount['Type'], mount['Source'], mount['Target']].map(asText);
  const chosen = MORE.flatMap((part) =>
    Object.entries(asRecord(mount[part]))
      .filter(([, value]) => value !== null && value !== '' && value !== false)
      .map(([field, value]) => formatOption(part, field, value)),
  );
  if ((type !== 'bind' && type !== 'volume') || chosen.includes(undefined)) return undefined;
  const fields = [
    `type=${type}`,
    ...(source === '' ? [] : [`source=${source}`]),
    `target=${target}`,
    ...(mount['ReadOnly'] === true ? ['readonly'] : []),
    ...chosen,
  ];
  return fields.map((field) => quoteField(field ?? '')).join(',');
}

function formatOption(part: string, field: string, value: unknown): string | undefined {
  const key = OPTIONS.find((row) => row[1] === part && row[2] === field)?.[0];
  if (key === undefined) return undefined;
  return value === true ? key : `${key}=${asText(value)}`;
}

/** Fields with options. */
const MORE = ['BindOptions', 'VolumeOptions', 'TmpfsOptions', 'ImageOptions'];

/** Splits a line of comma-separated values, of which those in quotation marks can contain commas. */
function fieldsOf(text: string): readonly string[] {
  const fields = text.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g);
  return [...fields].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '');
}

function quoteField(field: string): string {
  return /[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
