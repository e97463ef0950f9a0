import { capabilitiesOf } from '../engine/capabilities.ts';
import type { Image } from '../engine/model.ts';
import { parseReference, type Reference } from '../engine/options/reference.ts';
import type { Phase } from '../inventory/inventory.ts';
import { Emitter, type Disposable, type Event } from '../lifetime.ts';

/**
 * What registries had for the names somebody asked about. Kept as they told it, and compared when it is looked at: so a
 * pull alone makes it no longer true that there is a newer one.
 */
export class NewerImages implements Disposable {
  readonly #digests = new Map<string, string>();
  readonly #changes = new Emitter<EngineReference>();

  /** Fires a name whose registry has been asked. */
  readonly onDidChange: Event<EngineReference> = this.#changes.event;

  /** Keeps what a registry has for a name. @param digest of the manifest. */
  note(named: EngineReference, digest: string): void {
    this.#digests.set(keyOf(named), digest);
    this.#changes.fire(named);
  }

  /**
   * Whether its registry has another image under this name than the engine; false where nobody asked, and where the
   * engine has it not from there.
   */
  isNewer(named: EngineReference, image: Image): boolean {
    const digest = this.#digests.get(keyOf(named));
    const wanted = parseReference(named.reference);
    if (digest === undefined || !wanted.ok || !isFrom(image, wanted.value)) return false;
    return !hasDigest(image, named.reference, digest);
  }

  dispose(): void {
    this.#changes.dispose();
  }
}

/** A name in an engine. */
export interface EngineReference {
  readonly engine: string;
  readonly reference: string;
}

/** Whether an image is what the registry has under this digest: by a digest of the same repository. */
export function hasDigest(
  image: Pick<Image, 'digests'>,
  reference: string,
  digest: string,
): boolean {
  const wanted = parseReference(reference);
  return wanted.ok && digestsFrom(image, wanted.value).includes(digest);
}

/** Whether an engine has an image from this repository: one that was built here cannot be compared with it. */
export function isFrom(image: Pick<Image, 'digests'>, repository: Repository): boolean {
  return digestsFrom(image, repository).length > 0;
}

type Repository = Pick<Reference, 'registry' | 'repository'>;

/** The digests that an image has in a repository. */
function digestsFrom(
  { digests }: Pick<Image, 'digests'>,
  { registry, repository }: Repository,
): readonly string[] {
  return digests.flatMap((text) => {
    const known = parseReference(text);
    if (!known.ok || known.value.digest === undefined) return [];
    const isSame = known.value.registry === registry && known.value.repository === repository;
    return isSame ? [known.value.digest] : [];
  });
}

/** Whether an engine can be asked for it, as far as is known now. */
export function canCheckNewer(phase: Phase): boolean {
  return phase.kind === 'live' && capabilitiesOf(phase.info).asksRegistries;
}

function keyOf({ engine, reference }: EngineReference): string {
  return `${engine} ${reference}`;
}
