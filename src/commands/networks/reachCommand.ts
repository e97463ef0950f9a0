import * as l10n from '@vscode/l10n';
import { InputError } from '../../engine/errors.ts';
import type { Container } from '../../engine/model.ts';
import { reachFacts } from '../../engine/networks/reachFacts.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { formatName } from '../ui/formatNames.ts';
import { pickRow, pickTarget } from '../frame/pickTarget.ts';
import { findTarget, type CommandTarget } from '../frame/targets.ts';
import type { CommandId, PickItem, Ui } from '../ui/ui.ts';
import { targetsOfRows } from './networkPair.ts';
import { judgeReach, type Reach, type ReachCheck } from './judgeReach.ts';

const REACH: CommandId = 'gantry.networks.reach';

interface ReachArguments {
  /** Containers. */
  readonly from: string;
  readonly to: string;
  readonly port: number;
}

/** Finds out whether a container can reach a TCP port of another one, and what to change if not. */
export const reachCommand = (): PlainCommand<ReachArguments, Reach> => ({
  id: 'gantry.networks.reach',
  schema: {
    from: { kind: 'text', required: true },
    to: { kind: 'text', required: true },
    port: {
      kind: { check: isPort, expected: l10n.t('a port number from 1 to 65535') },
      required: true,
    },
  },
  selects: 'container',
  pick: pickRow(REACH, 'container', isAsked),
  failureTitle: l10n.t('Could not check the connection'),
  run: async ({ from, to, port }, context, signal) => {
    const connection = await context.engine.connect(signal);
    const [one, other] = await Promise.all([
      findTarget('container', context, connection, from, signal),
      findTarget('container', context, connection, to, signal),
    ]);
    return check(one.id, other.id, port, context, signal);
  },
  runInteractive: async (context, nodes) => {
    const asked = await ask(context, nodes);
    if (!asked) return undefined;
    const { from, to, port } = asked;
    const names = [formatName(from.name), formatName(to.name)] as const;
    const title = l10n.t('Checking the connection from {0} to {1}', ...names);
    const reach = await context.ui.progress(title, 'late', (signal) =>
      check(from.id, to.id, port, context, signal),
    );
    const report = reportOf(reach, ...names, port);
    showReport(report, context);
    return reach;
  },
});

async function check(
  from: string,
  to: string,
  port: number,
  { engine }: CommandContext,
  signal: AbortSignal,
): Promise<Reach> {
  if (from === to) throw new InputError(l10n.t('"from" and "to" are the same container.'));
  const facts = await reachFacts(await engine.connect(signal), from, to, signal);
  return judgeReach(facts, port);
}

interface Asked {
  readonly from: CommandTarget;
  readonly to: CommandTarget;
  readonly port: number;
}

/** Returns the containers of the rows, and asks for the rest. */
async function ask(
  context: CommandContext,
  nodes: readonly TreeNode[],
): Promise<Asked | undefined> {
  const { containers, pairs } = targetsOfRows(nodes, context);
  const given = [...containers, ...pairs.map(({ container }) => container)];
  const [from] = given;
  if (!from) return undefined;
  const isOther = (one: Container): boolean => one.id !== from.id;
  const select = l10n.t('Select the container that {0} connects to', from.name);
  const to = given[1] ?? (await pickTarget([context], REACH, 'container', isOther, select));
  if (!to) return undefined;
  const port = await askPort(context.ui, from, to);
  return port === undefined ? undefined : { from, to, port };
}

function isAsked({ state }: Container): boolean {
  return state === 'running';
}

/** Offers the ports that the container declares. */
async function askPort(
  ui: Ui,
  from: CommandTarget,
  to: CommandTarget,
): Promise<number | undefined> {
  const ports = (to.container?.ports ?? []).filter(({ protocol }) => protocol === 'tcp');
  const known = [...new Set(ports.map(({ privatePort }) => String(privatePort)))];
  const picked = await ui.pick<PickItem>({
    title: l10n.t('Can {0} Reach {1}?', from.name, to.name),
    placeholder: l10n.t('Type or select a port of {0}', to.name),
    items: known.map((label) => ({ label })),
    typedItem: (typed) => (known.includes(typed) ? undefined : typedPort(typed)),
  });
  return picked && Number(picked.label);
}

function typedPort(typed: string): PickItem | undefined {
  if (typed === '') return undefined;
  if (/^\d{1,5}$/.test(typed) && isPort(Number(typed))) {
    return { label: typed, icon: 'arrow-right', alwaysShow: true };
  }
  const label = l10n.t('"{0}" is not a port. Use a number from 1 to 65535.', typed);
  return { label, icon: 'error', alwaysShow: true, isDisabled: true };
}

function isPort(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65_535;
}

/** The answer of a check, for the user. */
interface Report {
  readonly isReachable: boolean | undefined;
  /** The answer, and what to change. */
  readonly sentence: string;
  readonly title: string;
  /** All checks, as plain text. */
  readonly text: string;
}

function reportOf({ isReachable, checks }: Reach, from: string, to: string, port: number): Report {
  const target = `${to}:${port}`;
  const answers = {
    true: l10n.t('{0} can reach {1}.', from, target),
    false: l10n.t('{0} cannot reach {1}.', from, target),
    undefined: l10n.t('Unknown whether {0} can reach {1}.', from, target),
  };
  const labels: Readonly<Record<ReachCheck['name'], string>> = {
    running: l10n.t('Both containers are running'),
    sharedNetwork: l10n.t('Both containers share a network'),
    nameResolves: l10n.t('{0} resolves the name {1}', from, to),
    portListens: l10n.t('A process in {0} listens on port {1}', to, String(port)),
  };
  const words = { true: l10n.t('yes'), false: l10n.t('no'), undefined: l10n.t('unknown') };
  const answer = answers[`${isReachable}`];
  const fix = checks.find((one) => one.fix !== undefined)?.fix;
  const lines = checks.flatMap((one) => [
    `${labels[one.name]}: ${words[`${one.ok}`]}`,
    ...(one.fix === undefined ? [] : [`    ${one.fix}`]),
  ]);
  return {
    isReachable,
    sentence: fix === undefined ? answer : `${answer} ${fix}`,
    title: l10n.t('Connection from {0} to {1}', from, target),
    text: [answer, '', ...lines, ''].join('\n'),
  };
}

/** Shows the answer in a message, with a button for the checks. */
function showReport(
  { isReachable, sentence, title, text }: Report,
  { ui, unit }: CommandContext,
): void {
  const details = {
    title: l10n.t('Details'),
    run: () => ui.showText(unit.id, title, text),
  };
  if (isReachable === false) ui.warn(sentence, details);
  else ui.info(sentence, details);
}
