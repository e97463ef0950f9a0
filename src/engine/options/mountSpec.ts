import { quotable } from '../../base/plainText.ts';
import { InputError } from '../errors.ts';
import { isTypedMount, parseTypedMount, type TypedMount } from './typedMount.ts';

/** One mount. Its source is a folder or file on the host, or a volume; empty for an anonymous volume. */
interface MountSpec {
  readonly kind: 'bind' | 'volume';
  readonly source: string;
  readonly target: string;
}

const VOLUME = /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/;
/** An absolute path of any platform, because the host can run another one: `/x`, `C:\x`, `C:/x`, `\\server\share`. */
export const ABSOLUTE_PATH = /^(?:\/|[a-zA-Z]:[\\/]|\\\\)/;
/**
 * `source:target[:options]`. The colon of a drive letter is part of the path; no other colon is allowed in one. The
 * engine judges the options: each has its own.
 */
const SHAPE = /^((?:[a-zA-Z]:(?=[\\/]))?[^:]+):((?:[a-zA-Z]:(?=[\\/]))?[^:]+)(?::([^:]*))?$/;
/** `/target` or `C:\target` alone: an anonymous volume. */
const TARGET_ALONE = /^(?:\/|[a-zA-Z]:\\)[^:]*$/;

/** Parses one mount. @throws InputError if the text is in none of the forms. */
export function parseMount(text: string): MountSpec {
  if (isTypedMount(text)) {
    const { Type: kind, Source: source, Target: target } = parseTypedMount(text);
    return checked({ kind, source, target }, text);
  }
  if (TARGET_ALONE.test(text)) return checked({ kind: 'volume', source: '', target: text }, text);
  const [, source, target] = SHAPE.exec(text) ?? [];
  if (source === undefined || target === undefined) {
    throw InputError.of(
      '"{0}" is not a mount. Use the form source:target or source:target:ro.',
      quotable(text),
    );
  }
  const kind = ABSOLUTE_PATH.test(source) ? 'bind' : 'volume';
  return checked({ kind, source, target }, text);
}

/**
 * Returns an entry for `HostConfig.Binds` if it is valid, or for `HostConfig.Mounts` if it is in the form of `--mount`.
 * `Binds` wherever it is enough, because it creates a missing source folder like `docker run -v` on every engine
 * since API 1.41. `Mounts` does so only since 1.42, and on request.
 */
export function checkMount(text: string): string | TypedMount {
  parseMount(text);
  return isTypedMount(text) ? parseTypedMount(text) : text;
}

function checked(mount: MountSpec, text: string): MountSpec {
  const { kind, source, target } = mount;
  if (!ABSOLUTE_PATH.test(target) || target === '/') {
    throw InputError.of(
      'The target "{0}" of the mount "{1}" is not an absolute path.',
      quotable(target),
      quotable(text),
    );
  }
  const isNamed = kind === 'bind' ? ABSOLUTE_PATH.test(source) : VOLUME.test(source);
  if (isNamed || (kind === 'volume' && source === '')) return mount;
  throw InputError.of(
    'The source "{0}" of the mount "{1}" is not an absolute path or volume name.',
    quotable(source),
    quotable(text),
  );
}
