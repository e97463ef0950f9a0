// What the test run and the suites in the extension host exchange; messages of the suites are one JSON object per line.

/** Why a test failed. */
export interface Failure {
  readonly message: string;
  readonly stack?: string;
}

/** A test has started. */
export interface Begun {
  readonly event: 'begun';
  /** Titles of the enclosing suites, then of the test. */
  readonly path: readonly string[];
}

/** A test has ended, or a hook has failed. */
export interface Ended {
  readonly event: 'ended';
  readonly path: readonly string[];
  readonly state: 'passed' | 'failed' | 'pending';
  readonly failure?: Failure;
}

/** The suite has ended; without this line, it died before. */
export interface Done {
  readonly event: 'done';
}

/** Any message. */
export type Line = Begun | Ended | Done;

/** Name of the variable with the path of the file for these messages. */
export const LINES_FILE = 'GANTRY_HOST_LINES';

/** Another engine, for some suites that run again in the same VS Code. */
export interface OtherEngine {
  /** Its bed, as the suites read it from the environment. */
  readonly variables: Readonly<Record<string, string>>;
  readonly suites: readonly string[];
}

/** Name of the variable with that engine as JSON. */
export const OTHER_ENGINE = 'GANTRY_HOST_OTHER';
