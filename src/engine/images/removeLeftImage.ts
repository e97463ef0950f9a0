import type { Connection } from '../http/connection.ts';
import type { Image } from '../model.ts';
import { asRecord } from '../wire/wire.ts';
import { findImage, removeImage } from './images.ts';
import { TEMPORARY_LABEL, temporaryImageOwner } from './temporaryMarks.ts';

/**
 * Removes the temporary image of an earlier window if an inspect confirms that it is Gantry's. By its tag and without
 * force, so the engine refuses if a container uses it.
 */
export async function removeLeftImage(connection: Connection, { tags }: Image): Promise<void> {
  const [tag = ''] = tags;
  const found = await findImage(connection, tag);
  const labels = asRecord(asRecord(asRecord(found?.raw)['Config'])['Labels']);
  const owner = found && temporaryImageOwner(found);
  if (owner === undefined || labels[TEMPORARY_LABEL] !== owner) return;
  await removeImage(connection, tag, {});
}
