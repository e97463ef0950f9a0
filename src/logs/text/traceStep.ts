/** The role of a line in a stack trace. */
export interface TraceStep {
  /** Whether it continues the line before. */
  readonly isContinuation: boolean;
  /** The state to pass for the next line. */
  readonly after: TraceState;
}

/**
 * The state within a stack trace. Plain data; one per container and stream, because their lines mix.
 *
 * - `none`: not in a trace. `error`: after a line that reports an error, which a trace may follow.
 * - `frames`: in the frames of Node, Java or .NET. `object`: in the error fields that Node prints after them.
 * - `source`, `sourceText`, `sourceMark`: in the source text that Node and others print before the error.
 * - `python`: in the frames. `pythonEnd`: after the exception's line. `pythonNext`: before a chained trace.
 * - `go`, `rust`, `ruby`, `php`: in a trace of that language. `goPanic`, `rustMessage`: before its frames.
 */
export type TraceState =
  | ('none' | 'error' | 'frames' | 'object' | 'source' | 'sourceText' | 'sourceMark')
  | ('python' | 'pythonEnd' | 'pythonNext' | 'go' | 'goPanic' | 'rust' | 'rustMessage')
  | ('ruby' | 'php');

/** Number of characters of a line that are checked. */
const LOOKED_AT = 400;

/**
 * Determines whether a line continues a stack trace. The head of a trace is any line that itself is not a continuation;
 * a trace after a line that reports an error belongs to that line. Must be called for each line in turn.
 *
 * @param plain the line without escape sequences.
 * @param before the `after` of the line before, `none` for the first line.
 */
export function nextTraceStep(plain: string, before: TraceState): TraceStep {
  const line = plain.slice(0, LOOKED_AT);
  const within = before === 'none' ? undefined : continuing(line, before);
  const after = within ?? frameAnywhere(line);
  return { isContinuation: after !== undefined, after: after ?? headOf(line) ?? 'none' };
}

/** Detects lines that are always part of a trace. Most other lines are excluded by their first character. */
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

/** Detects the first line of a trace. */
function headOf(line: string): TraceState | undefined {
  if (line.startsWith('Traceback (most recent call last):')) return 'python';
  if (line.startsWith('panic: ') || line.startsWith('fatal error: ')) return 'goPanic';
  if (line.startsWith('thread ') && /^thread '[^']*'(?: \(\d+\))? panicked at /.test(line))
    return line.endsWith(':') ? 'rustMessage' : 'rust';
  if (line.startsWith('PHP ') && line.includes(' error: ')) return 'php';
  if (/^(?:\/|file:\/\/|[A-Z]:\\).{1,300}\.[cm]?[jt]sx?:\d+$/.test(line)) return 'source';
  return undefined;
}

/** Returns the state after a line that continues the trace; undefined if it does not. */
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

/** After the line of a logger: the exception's own line, or the trace itself. */
function afterError(line: string): TraceState | undefined {
  if (line.startsWith('Traceback (most recent call last):')) return 'python';
  if (/^(?:Stack trace:|\[stacktrace\])$/.test(line)) return 'php';
  if (/^\S+\.(?:rb|erb|rake):\d+:in /.test(line)) return 'ruby';
  return isException(line) ? 'frames' : undefined;
}

/** Whether a line is an exception: `java.io.IOException: x`, `System.Exception: x`, `TypeError: x`. */
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

/** For Node, after the mark below the source text: a blank line and the error itself. */
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
  // The first line that is not indented must be the exception.
  if (before === 'python') return line.startsWith(' ') ? 'python' : 'pythonEnd';
  // After a blank line, a chained trace may follow. The blank line belongs to the trace in any case.
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
