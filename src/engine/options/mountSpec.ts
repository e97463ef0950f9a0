/** What of the engine's machine a container sees, and where: `source:target[:options]`. */

import type { L10n } from '../../l10n.ts';
import { InputError } from '../errors.ts';

/** One mount, its source a folder or file of the engine's machine, or a volume. */
export interface MountSpec {
  readonly kind: 'bind' | 'volume';
  readonly source: string;
  readonly target: string;
  /** Those of OPTIONS that were given. */
  readonly options: readonly string[];
}

/** Read only, read and write, and the two SELinux labels, without which a bind is unreadable on Fedora. */
const OPTIONS: readonly string[] = ['ro', 'rw', 'z', 'Z'];

const VOLUME = /^[a-zA-Z0-9][a-zA-Z0-9_.-]+$/;
/** `/x`, `C:\x`, `C:/x` or `\\server\share`. */
const ABSOLUTE = /^(?:\/|[a-zA-Z]:[\\/]|\\\\)/;
/** A drive's colon belongs to the path: it is the only one that may stand in a source or target. */
const SHAPE = /^((?:[a-zA-Z]:(?=[\\/]))?[^:]+):((?:[a-zA-Z]:(?=[\\/]))?[^:]+)(?::([^:]*))?$/;

/** Reads one entry. Throws InputError for anything that is not `source:target[:ro]`. */
export function parseMount(text: string, l10n: L10n): MountSpec {
  const [, source, target, options] = SHAPE.exec(text) ?? [];
  if (source === undefined || target === undefined) {
    throw new InputError(
      l10n.t('"{0}" is not a mount. Write source:target or source:target:ro.', text),
    );
  }
  if (!isAbsolutePath(target) || target === '/') {
    throw new InputError(
      l10n.t(
        'The target "{0}" of the mount "{1}" is not a full path in the container.',
        target,
        text,
      ),
    );
  }
  return {
    kind: sourceKind(source, text, l10n),
    source,
    target,
    options: parseOptions(options, text, l10n),
  };
}

/** Whether a path is full on some platform: the engine's need not be ours. */
export function isAbsolutePath(path: string): boolean {
  return ABSOLUTE.test(path);
}

/**
 * As an entry of `HostConfig.Binds`. That list and not the typed `Mounts`: it makes a folder that is missing,
 * as people know it from `-v`, and every engine since 1.41 does so; the typed form does only from 1.42 on.
 */
export function formatBind(mount: MountSpec): string {
  const options = mount.options.length > 0 ? `:${mount.options.join(',')}` : '';
  return `${mount.source}:${mount.target}${options}`;
}

function sourceKind(source: string, text: string, l10n: L10n): MountSpec['kind'] {
  if (isAbsolutePath(source)) return 'bind';
  if (VOLUME.test(source)) return 'volume';
  throw new InputError(
    l10n.t(
      'The source "{0}" of the mount "{1}" is neither a full path nor the name of a volume.',
      source,
      text,
    ),
  );
}

function parseOptions(options: string | undefined, text: string, l10n: L10n): readonly string[] {
  const list = options?.split(',') ?? [];
  const isWrong = list.some((option) => !OPTIONS.includes(option));
  if (isWrong || (list.includes('ro') && list.includes('rw'))) {
    throw new InputError(
      l10n.t('The mount "{0}" ends in an unknown option. Use ro, or none.', text),
    );
  }
  return list;
}
