import type { Level } from './level.ts';

/** What a line is to the stack trace around it. */
export interface TraceStep {
  /** Whether it belongs to the line before it. */
  readonly isContinuation: boolean;
  /** What the next line is to be told. */
  readonly after: TraceState;
}

/**
 * Where a log is in a stack trace. Plain data; one for each container and stream, for their lines mix.
 *
 * - `none`: in none. `error`: after a line that reports one, to which a trace may belong.
 * - `frames`: among the frames of Node, Java or .NET. `object`: in the fields Node prints of an error after them.
 * - `source`, `sourceText`, `sourceMark`: in the source Node and others print before the error.
 * - `python`: among the frames. `pythonEnd`: after the exception's line. `pythonNext`: before a chained trace.
 * - `go`, `rust`, `ruby`, `php`: in a trace of theirs. `goPanic`, `rustMessage`: before its frames.
 */
export type TraceState =
  | ('none' | 'error' | 'frames' | 'object' | 'source' | 'sourceText' | 'sourceMark')
  | ('python' | 'pythonEnd' | 'pythonNext' | 'go' | 'goPanic' | 'rust' | 'rustMessage')
  | ('ruby' | 'php');

/** No more of a line is looked at. */
const LOOKED_AT = 400;

/**
 * Tells whether a line belongs to a stack trace whose head is before it. A head is any line that itself belongs
 * to none; a trace after a line that reports an error belongs to that line. To be called for each line in turn.
 *
 * @param plain without escape sequences.
 * @param before the `after` of the line before, `none` for the first.
 * @param level of this line, where it is known.
 */
export function nextTraceStep(
  plain: string,
  before: TraceState = 'none',
  level: Level = 'none',
): TraceStep {
  const line = plain.slice(0, LOOKED_AT);
  const within = before === 'none' ? undefined : continuing(line, before);
  const after = within ?? frameAnywhere(line);
  if (after !== undefined) return step(true, after);
  return step(false, headOf(line) ?? (isBad(level) ? 'error' : 'none'));
}

function step(isContinuation: boolean, after: TraceState): TraceStep {
  return { isContinuation, after };
}

function isBad(level: Level): boolean {
  return level === 'error' || level === 'fatal' || level === 'warning';
}

/** Lines that are nothing but part of a trace, whatever was before them; most lines are told by their first character. */
function frameAnywhere(line: string): TraceState | undefined {
  switch (line.charAt(0)) {
    case ' ':
    case '\t':
      if (/^\s+at \S/.test(line)) return line.endsWith('{') ? 'object' : 'frames';
      if (/^\s+\.{3} \d+ (?:more|common frames omitted)/.test(line)) return 'frames';
      if (/^\s+---> \S/.test(line)) return 'frames';
      if (/^\s+from \S+:\d+:in /.test(line)) return 'ruby';
      return /^\s+File "[^"]+", line \d/.test(line) ? 'python' : undefined;
    case '#':
      return /^#\d+ (?:\/|\{main\}|\[internal function\]|[A-Z]:\\)/.test(line) ? 'php' : undefined;
    case 'g':
      return line.endsWith(']:') && /^goroutine \d+ .{0,99}\[/.test(line) ? 'go' : undefined;
    case 'C':
      return /^Caused by: [\w$]+\.[\w$.]+/.test(line) ? 'frames' : undefined;
    default:
      return undefined;
  }
}

/** What begins a trace of its own. */
function headOf(line: string): TraceState | undefined {
  if (line.startsWith('Traceback (most recent call last):')) return 'python';
  if (line.startsWith('panic: ') || line.startsWith('fatal error: ')) return 'goPanic';
  if (line.startsWith('thread ') && /^thread '[^']*'(?: \(\d+\))? panicked at /.test(line)) {
    return line.endsWith(':') ? 'rustMessage' : 'rust';
  }
  if (line.startsWith('PHP ') && line.includes(' error: ')) return 'php';
  if (/^(?:\/|file:\/\/|[A-Z]:\\).{1,300}\.[cm]?[jt]sx?:\d+$/.test(line)) return 'source';
  return undefined;
}

/** The state after a line that goes on with what is there; undefined where it does not. */
function continuing(line: string, before: Exclude<TraceState, 'none'>): TraceState | undefined {
  switch (before) {
    case 'error':
      return afterError(line);
    case 'frames':
      return amongFrames(line);
    case 'object':
      return line === '}' ? 'frames' : indented(line, 'object');
    case 'source':
      return 'sourceText';
    case 'sourceText':
      return /^\s*\^+\s*$/.test(line) ? 'sourceMark' : undefined;
    case 'sourceMark':
      return afterMark(line);
    case 'python':
    case 'pythonEnd':
    case 'pythonNext':
      return inPython(line, before);
    case 'go':
    case 'goPanic':
      return inGo(line, before);
    case 'rustMessage':
      return 'rust';
    case 'rust':
      return /^(?:note: |stack backtrace:|\s+\d+: |\s+at )/.test(line) ? 'rust' : undefined;
    case 'ruby':
      return /^\S+\.(?:rb|erb|rake):\d+:in /.test(line) ? 'ruby' : undefined;
    case 'php':
      return /^(?:PHP +\d+\. |(?:PHP )?Stack trace:|#\d+ |Next \S|\s+thrown in |"\} ?$)/.test(line)
        ? 'php'
        : undefined;
  }
}

function indented(line: string, state: TraceState): TraceState | undefined {
  return /^\s/.test(line) ? state : undefined;
}

/** The exception's own line, or the trace itself, after the line of a logger. */
function afterError(line: string): TraceState | undefined {
  if (line.startsWith('Traceback (most recent call last):')) return 'python';
  if (/^(?:Stack trace:|\[stacktrace\])$/.test(line)) return 'php';
  if (/^\S+\.(?:rb|erb|rake):\d+:in /.test(line)) return 'ruby';
  return isException(line) ? 'frames' : undefined;
}

/** `java.io.IOException: x`, `System.Exception: x`, `TypeError: x`. */
function isException(line: string): boolean {
  return /^(?:[\w$]{1,60}\.){0,20}[A-Z][\w$]{0,99}(?:Exception|Error)(?:: |:?$)/.test(
    line.slice(0, 200),
  );
}

function amongFrames(line: string): TraceState | undefined {
  const isPart =
    /^(?:Caused by: |Wrapped by: |\s+Suppressed: |\s*--- End of |\s*---> |\s+\[cause\]: |\s+\.{3})/.test(
      line,
    );
  return isPart ? 'frames' : undefined;
}

/** Of Node's, after the mark below the source: a blank line and the error itself. */
function afterMark(line: string): TraceState | undefined {
  if (line === '') return 'sourceMark';
  return isException(line) || line.startsWith('Error') ? 'frames' : undefined;
}

const CHAINED =
  /^(?:During handling of the above exception|The above exception was the direct cause)/;

function inPython(
  line: string,
  before: 'python' | 'pythonEnd' | 'pythonNext',
): TraceState | undefined {
  const isTraceback = /^(?: {2}\+ (?:Exception Group )?)?Traceback /.test(line);
  // Of the first line that is not indented only the exception can be.
  if (before === 'python') return line.startsWith(' ') ? 'python' : 'pythonEnd';
  // Only a blank one tells what comes: it goes with the trace either way.
  if (before === 'pythonEnd') return line === '' ? 'pythonNext' : indented(line, 'pythonEnd');
  if (isTraceback) return 'python';
  return CHAINED.test(line) ? 'pythonEnd' : undefined;
}

function inGo(line: string, before: 'go' | 'goPanic'): TraceState | undefined {
  if (line === '') return before;
  if (/^(?:\[signal |\tpanic: |panic: |\[recovered\])/.test(line)) return before;
  if (/^(?:goroutine \d+ |created by |exit status \d|\.{3}additional frames )/.test(line))
    return 'go';
  if (before === 'goPanic') return undefined;
  return /^(?:\t\S|[^\s(]+\(.*\)$|[^\s(]+\(.{300})/.test(line) ? 'go' : undefined;
}
