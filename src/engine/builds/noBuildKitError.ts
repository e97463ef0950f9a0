import { InputError } from '../errors.ts';
import { sentence } from '../../base/sentence.ts';

/** The engine has only the classic builder, which is not used unless the user agrees. */
export class NoBuildKitError extends InputError {
  constructor() {
    super(
      sentence(
        'This engine has no BuildKit. Gantry does not use the classic builder without confirmation.',
      ),
    );
  }
}
