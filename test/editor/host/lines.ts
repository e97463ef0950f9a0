// What the suite in the extension host tells the run outside, one JSON object a line.

/** Why a test failed. */
export interface Failure {
  readonly message: string;
  readonly stack?: string;
}

/** A test has begun. */
export interface Begun {
  readonly event: 'begun';
  /** Titles of the suites around the test, then its own. */
  readonly path: readonly string[];
}

/** A test, or a hook that failed, has ended. */
export interface Ended {
  readonly event: 'ended';
  readonly path: readonly string[];
  readonly state: 'passed' | 'failed' | 'pending';
  readonly failure?: Failure;
}

/** The whole suite has ended; without this line it died on the way. */
export interface Done {
  readonly event: 'done';
}

/** Any line. */
export type Line = Begun | Ended | Done;

/** The variable that names the file of these lines. */
export const LINES_FILE = 'GANTRY_HOST_LINES';
