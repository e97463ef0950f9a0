import { asRecord } from '../wire/wire.ts';
import type { ContainerOption } from './containerOption.ts';

type Wire = Readonly<Record<string, unknown>>;

/** Returns the value of an option in a container inspect; undefined if it is the default of the image or the engine. */
export function optionValue(
  { at, fromWire }: ContainerOption,
  container: Wire,
  image: Wire,
): unknown {
  const [part = '', field = ''] = at?.split('.') ?? [];
  const [own, ofImage] = [container, image].map((wire) => asRecord(wire[part])[field]);
  return fromWire(own, ofImage, container);
}
