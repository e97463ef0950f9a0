/** Remembers work of the window, in case that the window ends first. */

import type { BuildRun } from '../builds/buildRun.ts';
import type { Builds } from '../builds/builds.ts';
import type { UnfinishedWork, WorkNote } from '../files/unfinishedWork.ts';
import type { Disposable } from '../base/lifetime.ts';
import type { Transfer } from '../registries/transfers/transfer.ts';
import type { Transfers } from '../registries/transfers/transfers.ts';

/** Remembers the pulls and pushes that run. */
export function recordTransfers(
  transfers: Pick<Transfers, 'onDidReport'>,
  work: Pick<UnfinishedWork, 'begin'>,
  nameOf: EngineName,
): Disposable {
  const notes = new Notes<Transfer>(work);
  return transfers.onDidReport(({ transfer, news }) => {
    const { phase } = transfer;
    if (news.kind === 'ended') notes.end(transfer);
    else if (phase === 'running') notes.begin(transfer, () => transferNote(transfer, nameOf));
  });
}

/** Remembers the builds that run. */
export function recordBuilds(
  builds: Pick<Builds, 'onDidReport'>,
  work: Pick<UnfinishedWork, 'begin'>,
  nameOf: EngineName,
): Disposable {
  const notes = new Notes<BuildRun>(work);
  return builds.onDidReport(({ run, end }) => {
    if (end) notes.end(run);
    else notes.begin(run, () => buildNote(run, nameOf));
  });
}

/** Returns the name of an engine, as arguments of commands have it. */
type EngineName = (id: string) => string | undefined;

class Notes<Work> {
  readonly #work: Pick<UnfinishedWork, 'begin'>;
  readonly #notes = new Map<Work, globalThis.Disposable>();

  constructor(work: Pick<UnfinishedWork, 'begin'>) {
    this.#work = work;
  }

  begin(what: Work, noteOf: () => WorkNote): void {
    if (!this.#notes.has(what)) this.#notes.set(what, this.#work.begin(noteOf()));
  }

  end(what: Work): void {
    this.#notes.get(what)?.[Symbol.dispose]();
    this.#notes.delete(what);
  }
}

/** Without the credentials of a call: stored ones are found again. */
function transferNote({ spec }: Transfer, nameOf: EngineName): WorkNote {
  const { kind, title: name, reference, platform } = spec;
  const engine = nameOf(spec.engine);
  if (kind === 'push') return { kind, name };
  const argument = { reference, ...(platform !== undefined && { platform }), engine };
  return { kind, name, again: { command: 'gantry.images.pull', argument } };
}

/** Again means the form with the last values: those of build arguments may be secret, and are not stored here. */
function buildNote({ ref, title: name, spec }: BuildRun, nameOf: EngineName): WorkNote {
  const { dockerfile, context, target } = spec.request;
  const argument = { dockerfile, context, target: target ?? '', engine: nameOf(spec.engine) };
  // Without `rebuild`, the file may be another one than a Dockerfile.
  const again = spec.rebuild && { again: { command: 'gantry.images.build', argument, asks: true } };
  return { kind: 'build', name, ref, ...again };
}
