import * as l10n from '@vscode/l10n';
import { oneLine } from '../base/plainText.ts';
import type { ReadOnlyReason } from '../engine/files/fileErrors.ts';

/** Returns why a file is read-only, as a sentence. @param mount the path of the mount that has it. */
export function readOnlyText(reason: ReadOnlyReason, mount = ''): string {
  const where = oneLine(mount, 200);
  switch (reason) {
    case 'readOnlyRoot':
      return l10n.t('Read-only: the root file system of the container is.');
    case 'readOnlyMount':
      return l10n.t('Read-only: the mount {0} is.', where);
    case 'tmpfs':
      return l10n.t('Read-only: {0} is a mount in memory, which Docker does not write to.', where);
    case 'kernel':
      return l10n.t('Read-only: the kernel makes this file.');
    case 'fileMount':
      return l10n.t(
        'Read-only: the file is a mount. It can be written while the container runs and has a shell.',
      );
    case 'hardLinks':
      return l10n.t(
        'Read-only: the file has several names. It can be written while the container runs and has a shell.',
      );
    case 'ownerUnknown':
      return l10n.t(
        'Read-only: Podman tells who owns the file only while the container runs and has the program stat.',
      );
    case 'volumeOwnerUnknown':
      return l10n.t(
        'Read-only: Podman tells who owns the file only while a container that mounts the volume runs.',
      );
    case 'image':
      return l10n.t('Read-only: an image cannot be changed.');
    case 'tooLarge':
      return l10n.t('Read-only: files larger than 64 MB are not saved.');
  }
}
