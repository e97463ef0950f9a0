/** Bind mounts and volumes: `source:target[:options]`. */

import type { L10n } from '../../l10n.ts';
import { InputError } from '../errors.ts';

/** One mount. Its source is a folder or file on the host, or a volume. */
export interface MountSpec {
  readonly kind: 'bind' | 'volume';
  readonly source: string;
  readonly target: string;
}

/** Read-only, read-write, and the two SELinux labels. Without a label, a bind mount is unreadable on Fedora. */
const OPTIONS: readonly string[] = ['ro', 'rw', 'z', 'Z'];

const VOLUME = /^[a-zA-Z0-9][a-zA-Z0-9_.-]+$/;
/**
 * An absolute path of any platform, because the host can run another one: `/x`, `C:\x`, `C:/x`, `\\server\share`.
 */
export const ABSOLUTE_PATH = /^(?:\/|[a-zA-Z]:[\\/]|\\\\)/;
/** `source:target[:options]`. The colon of a drive letter is part of the path; no other colon is allowed in one. */
const SHAPE = /^((?:[a-zA-Z]:(?=[\\/]))?[^:]+):((?:[a-zA-Z]:(?=[\\/]))?[^:]+)(?::([^:]*))?$/;

/** Parses one mount. @throws InputError if the text is not `source:target[:options]`. */
export function parseMount(text: string, l10n: L10n): MountSpec {
  const [, source, target, options] = SHAPE.exec(text) ?? [];
  if (source === undefined || target === undefined) {
    throw new InputError(
      l10n.t('"{0}" is not a mount. Use the form source:target or source:target:ro.', text),
    );
  }
  if (!ABSOLUTE_PATH.test(target) || target === '/') {
    throw new InputError(
      l10n.t('The target "{0}" of the mount "{1}" is not an absolute path.', target, text),
    );
  }
  const kind = sourceKind(source, text, l10n);
  checkOptions(options?.split(',') ?? [], text, l10n);
  return { kind, source, target };
}

/**
 * Returns an entry for `HostConfig.Binds` if it is valid. `Binds` instead of the typed `Mounts`, because it
 * creates a missing source folder like `docker run -v` on every engine since API 1.41. `Mounts` does so only
 * since 1.42.
 */
export function checkMount(text: string, l10n: L10n): string {
  parseMount(text, l10n);
  return text;
}

function sourceKind(source: string, text: string, l10n: L10n): MountSpec['kind'] {
  if (ABSOLUTE_PATH.test(source)) return 'bind';
  if (VOLUME.test(source)) return 'volume';
  throw new InputError(
    l10n.t(
      'The source "{0}" of the mount "{1}" is not an absolute path or volume name.',
      source,
      text,
    ),
  );
}

function checkOptions(list: readonly string[], text: string, l10n: L10n): void {
  const isWrong = list.some((option) => !OPTIONS.includes(option));
  if (isWrong || (list.includes('ro') && list.includes('rw'))) {
    throw new InputError(
      l10n.t('The mount "{0}" has an unknown option. Use ro, or no option.', text),
    );
  }
}
