import { capabilitiesOf } from '../../engine/capabilities/capabilities.ts';
import type { Image } from '../../engine/model.ts';
import { digestsIn, parseReference, type Repository } from '../../engine/options/reference.ts';
import type { Phase } from '../../inventory/phase.ts';
import { Emitter, type Disposable, type Event } from '../../base/lifetime.ts';

/**
 * The digests that registries have for the tags that were checked. Compared only on demand, so that a pull is
 * enough to clear the state "newer".
 */
export class NewerImages implements Disposable {
  readonly #digests = new Map<string, string>();
  readonly #changes = new Emitter<EngineReference>();

  /** Fires with the tag whose registry was checked. */
  readonly onDidChange: Event<EngineReference> = this.#changes.event;

  /** Records the digest that a registry has for a tag. @param digest of the manifest. */
  record(named: EngineReference, digest: string): void {
    this.#digests.set(keyOf(named), digest);
    this.#changes.fire(named);
  }

  /**
   * Returns whether the registry has a different image for this tag than the engine. Returns false if it was
   * not checked, or if the image was not pulled from that registry.
   */
  isNewer(named: EngineReference, image: Image): boolean {
    const digest = this.#digests.get(keyOf(named));
    const wanted = parseReference(named.reference);
    if (digest === undefined || !wanted.ok) return false;
    return compareDigest(image, wanted.value, digest) === 'newer';
  }

  dispose(): void {
    this.#changes.dispose();
  }
}

interface EngineReference {
  readonly engine: string;
  readonly reference: string;
}

/**
 * Compares an image with the digest that its registry has for a tag, using the digests of the same
 * repository. `notPulled`: the image was not pulled from that repository and cannot be compared.
 */
export function compareDigest(
  { digests }: Pick<Image, 'digests'>,
  repository: Repository,
  digest: string,
): 'newer' | 'current' | 'notPulled' {
  const here = digestsIn(digests, repository);
  if (here.includes(digest)) return 'current';
  return here.length > 0 ? 'newer' : 'notPulled';
}

/** Returns whether the engine can check registries, as far as is known now. */
export function canCheckNewer(phase: Phase): boolean {
  return phase.kind === 'live' && capabilitiesOf(phase.info).asksRegistries;
}

function keyOf({ engine, reference }: EngineReference): string {
  return `${engine} ${reference}`;
}
