import type { L10n } from '../../l10n.ts';
import { InputError } from '../errors.ts';

/** The engine has only the classic builder, which is not used unless the user agrees. */
export class NoBuildKitError extends InputError {
  constructor(l10n: L10n) {
    super(
      l10n.t(
        'This engine has no BuildKit. Gantry does not use the classic builder without confirmation.',
      ),
    );
  }
}
