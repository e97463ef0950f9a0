import {
  EngineError,
  type FailureChanges,
  type FailureDetails,
  type FailureReason,
} from '../errors.ts';
import type { BuildFailure } from './model.ts';

/** A build that failed, with where and why. The message is the builder's. */
export class BuildFailedError extends EngineError {
  readonly failure: BuildFailure;

  constructor(failure: BuildFailure, reason: FailureReason, details?: FailureDetails) {
    super(reason, details);
    this.failure = failure;
  }

  override with({ reason = this.reason, ...changes }: FailureChanges): BuildFailedError {
    return new BuildFailedError(this.failure, reason, { ...this.details, ...changes });
  }

  /** Returns a copy in which more is known of the failure. */
  withFailure(known: BuildFailure): BuildFailedError {
    return new BuildFailedError({ ...this.failure, ...known }, this.reason, this.details);
  }
}
