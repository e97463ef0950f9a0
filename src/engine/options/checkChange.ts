import { quotable } from '../../base/plainText.ts';
import { InputError } from '../errors.ts';
import { tryParseJson } from '../wire/parseJson.ts';
import { sentence, type Sentence } from '../../base/sentence.ts';

/** Checks the arguments of an instruction. Returns the problem as a sentence; undefined if they are valid. */
type Rule = (rest: string) => Sentence | undefined;

/** The instructions that a commit can apply: the rule for their arguments, and a template to complete. */
const INSTRUCTIONS: Readonly<Record<string, { rule: Rule; template: string }>> = {
  CMD: { rule: commandProblem, template: 'CMD ["program", "argument"]' },
  ENTRYPOINT: { rule: commandProblem, template: 'ENTRYPOINT ["program"]' },
  ENV: { rule: pairsProblem, template: 'ENV NAME=value' },
  EXPOSE: { rule: portsProblem, template: 'EXPOSE 8080/tcp' },
  HEALTHCHECK: { rule: healthProblem, template: 'HEALTHCHECK --interval=30s CMD ["program"]' },
  LABEL: { rule: pairsProblem, template: 'LABEL name=value' },
  ONBUILD: { rule: onBuildProblem, template: 'ONBUILD RUN command' },
  STOPSIGNAL: { rule: signalProblem, template: 'STOPSIGNAL SIGTERM' },
  USER: { rule: userProblem, template: 'USER name' },
  VOLUME: { rule: volumeProblem, template: 'VOLUME /data' },
  WORKDIR: { rule: folderProblem, template: 'WORKDIR /app' },
};

/**
 * Returns an instruction unchanged if it is valid. Its name can be in lower case.
 *
 * @throws InputError that describes the problem.
 */
export function checkChange(change: string): string {
  const problem = changeProblem(change.trim());
  if (problem !== undefined) throw new InputError(problem);
  return change;
}

function changeProblem(change: string): Sentence | undefined {
  const [written = ''] = change.split(/\s/, 1);
  const rest = change.slice(written.length).trim();
  const name = written.toUpperCase();
  const instruction = Object.hasOwn(INSTRUCTIONS, name) ? INSTRUCTIONS[name] : undefined;
  if (!instruction) {
    const known = CHANGE_INSTRUCTIONS.join(', ');
    return sentence('"{0}" is not supported. Supported instructions: {1}.', written, known);
  }
  if (rest === '') return sentence('"{0}" requires an argument.', quotable(written));
  if (/[\r\n]/.test(rest))
    return sentence(
      '"{0} …" has several lines. Pass each instruction separately.',
      quotable(written),
    );
  if (rest.includes('\0')) return sentence('"{0}" contains an invalid character.', name);
  return instruction.rule(rest);
}

/** Names of the supported instructions. These only change the metadata of an image; all others belong in a build. */
export const CHANGE_INSTRUCTIONS: readonly string[] = Object.keys(INSTRUCTIONS);

/** A template to complete, for each instruction. */
export const INSTRUCTION_TEMPLATES: readonly string[] = Object.values(INSTRUCTIONS).map(
  ({ template }) => template,
);

/** Requires a JSON array if the text looks like one, because an engine takes a malformed array for a shell command. */
function commandProblem(rest: string): Sentence | undefined {
  if (!rest.startsWith('[') || textsIn(rest)) return undefined;
  return sentence(
    '"{0}" is not a JSON array. Use the form ["executable", "param"].',
    quotable(rest),
  );
}

function textsIn(text: string): readonly string[] | undefined {
  const value = tryParseJson(text);
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined;
}

const WORD = /(?:\\.|"(?:\\.|[^"\\])*"|'[^']*'|[^\s"'\\])+/g;

/** Splits a line into words and keeps quoted text together; undefined if a quote is not closed. */
function splitWords(rest: string): readonly string[] | undefined {
  return rest.replace(WORD, '').trim() === '' ? (rest.match(WORD) ?? []) : undefined;
}

function pairsProblem(rest: string): Sentence | undefined {
  const words = splitWords(rest);
  if (!words) return sentence('Missing closing quotation mark in "{0}".', quotable(rest));
  const [first = ''] = words;
  // The legacy form: a name, and the rest of the line is the value.
  if (!first.includes('=') && words.length > 1) return undefined;
  const bad = words.find((word) => !/^[^=]+=/.test(word));
  return bad === undefined
    ? undefined
    : sentence('"{0}" is not an assignment. Use the form NAME=value.', quotable(bad));
}

function portsProblem(rest: string): Sentence | undefined {
  const bad = rest.split(/\s+/).find((word) => !isPort(word));
  return bad === undefined
    ? undefined
    : sentence('"{0}" is not a port. Use the form 8080, 8080/udp, or 8000-8010.', quotable(bad));
}

function isPort(word: string): boolean {
  const [, low = '', high = low] =
    /^(\d{1,5})(?:-(\d{1,5}))?(?:\/(?:tcp|udp|sctp))?$/i.exec(word) ?? [];
  return Number(low) >= 1 && Number(low) <= Number(high) && Number(high) <= 65_535;
}

function healthProblem(rest: string): Sentence | undefined {
  if (/^none$/i.test(rest)) return undefined;
  const [, command] =
    /^(?:--(?:interval|timeout|start-period|start-interval|retries)=\S+\s+)*CMD\s+(.+)$/is.exec(
      rest,
    ) ?? [];
  return command === undefined
    ? sentence('HEALTHCHECK requires NONE, or CMD and a command.')
    : commandProblem(command);
}

function onBuildProblem(rest: string): Sentence | undefined {
  const [, name = '', more] = /^(\S+)(\s+\S)?/.exec(rest) ?? [];
  const isValid = /^[a-z]+$/i.test(name) && more !== undefined;
  return isValid && !/^(?:onbuild|from|maintainer)$/i.test(name)
    ? undefined
    : sentence('ONBUILD requires an instruction other than ONBUILD and FROM.');
}

function signalProblem(rest: string): Sentence | undefined {
  const isValid = /^(?:SIG)?[A-Z][A-Z0-9]*(?:[+-]\d{1,2})?$/i.test(rest) || isNumberTo64(rest);
  return isValid
    ? undefined
    : sentence(
        '"{0}" is not a signal. Use a name or number, for example SIGTERM or 15.',
        quotable(rest),
      );
}

function isNumberTo64(text: string): boolean {
  return /^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= 64;
}

/** The parts before and after the colon can be empty, as in a container. */
function userProblem(rest: string): Sentence | undefined {
  return /^\S+$/.test(rest)
    ? undefined
    : sentence('"{0}" is not a user. Use the form name, 1000, or name:group.', quotable(rest));
}

function volumeProblem(rest: string): Sentence | undefined {
  const listed = rest.startsWith('[') ? textsIn(rest) : rest.split(/\s+/);
  if (!listed)
    return sentence('"{0}" is not a JSON array. Use the form ["/data"].', quotable(rest));
  const bad = listed.find((folder) => !/^\/./.test(folder));
  return bad === undefined && listed.length > 0 ? undefined : absolutePathMessage(bad ?? rest);
}

function folderProblem(rest: string): Sentence | undefined {
  return rest.replace(/^["']/, '').startsWith('/') ? undefined : absolutePathMessage(rest);
}

function absolutePathMessage(folder: string): Sentence {
  return sentence('"{0}" is not an absolute path. Use the form /app.', quotable(folder));
}
