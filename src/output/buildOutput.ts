import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { BuildResult } from '../engine/builds/model.ts';
import type { BuildRun } from '../builds/buildRun.ts';
import type { BuildNews, Builds } from '../builds/builds.ts';
import { BuildTranscript } from '../builds/buildTranscript.ts';
import { formatCached, formatDuration } from '../builds/formatBuild.ts';
import { DisposableStore, type Disposable } from '../base/lifetime.ts';
import { displayText, oneLine } from '../base/plainText.ts';
import { showWork } from './showWork.ts';

/** Limit of the log of one build, in UTF-16 code units: VS Code keeps all text of a channel in a file. */
const LOG_LIMIT = 16 * 1024 * 1024;
/** As many as finished builds are kept. */
const MOST_CHANNELS = 20;

/**
 * Shows the builds of this window: the log of each in an output channel, and a notification for each that the user
 * waits for. Builds of the same name share a channel.
 */
export class BuildOutput implements Disposable {
  readonly #builds: Builds;
  readonly #describe: (error: unknown) => string;
  readonly #store = new DisposableStore();
  readonly #channels = new Map<string, vscode.OutputChannel>();
  readonly #logs = new WeakMap<BuildRun, BuildLog>();
  /** The last channel of each build. Another one may have its name now. */
  readonly #writtenTo = new WeakMap<BuildRun, vscode.OutputChannel>();

  /** @param describe formats an error for the log. */
  constructor(builds: Builds, describe: (error: unknown) => string) {
    this.#builds = builds;
    this.#describe = describe;
    this.#store.listen(builds.onDidReport, (news) => this.#write(news));
  }

  /** Shows the log of a build without taking the focus. */
  show(run: BuildRun): void {
    const channel = this.#channels.get(run.title);
    if (!channel || this.#writtenTo.get(run) !== channel) this.#writeAgain(run);
    this.#channel(run).show(true);
  }

  /**
   * Waits for a build and shows a notification, whose Cancel cancels the build. Rejects like the build.
   *
   * @param signal cancels the build, too.
   */
  async wait(run: BuildRun, signal?: AbortSignal): Promise<BuildResult> {
    const joined = run.join(signal);
    showWork({
      title: l10n.t('Building {0}', run.title),
      result: joined,
      cancel: () => run.cancel(),
      follow: (report) =>
        this.#builds.onDidChange((changed) => {
          if (changed.has(run)) report.report({ message: progressText(run) });
        }),
    });
    return joined;
  }

  dispose(): void {
    this.#store.dispose();
    for (const channel of this.#channels.values()) channel.dispose();
  }

  #channel(run: BuildRun): vscode.OutputChannel {
    const { title } = run;
    const known = this.#channels.get(title);
    const name = l10n.t('Build: {0}', oneLine(title));
    const channel = known ?? vscode.window.createOutputChannel(name);
    // In the order of their last use.
    this.#channels.delete(title);
    this.#channels.set(title, channel);
    this.#writtenTo.set(run, channel);
    this.#dropOldest();
    return channel;
  }

  /** Drops the channel without a running build that was not used for the longest time, if there are too many. */
  #dropOldest(): void {
    if (this.#channels.size <= MOST_CHANNELS) return;
    const running = this.#builds.all.filter(({ phase }) => phase === 'running');
    for (const [title, channel] of this.#channels) {
      if (running.some((run) => run.title === title)) continue;
      this.#channels.delete(title);
      channel.dispose();
      return;
    }
  }

  #write({ run, event, end }: BuildNews): void {
    const log = this.#logs.get(run) ?? { transcript: new BuildTranscript(), left: LOG_LIMIT };
    this.#logs.set(run, log);
    if (!event) {
      this.#channel(run).append(`${this.#frame(run, end)}\n`);
      return;
    }
    // Nothing more is shown, so nothing more is decoded.
    if (log.left <= 0) return;
    const text = log.transcript.add(event);
    if (text === '') return;
    log.left -= text.length;
    const isCut = log.left <= 0;
    this.#channel(run).append(
      isCut ? `${text}${l10n.t('The log is too long. The rest is not shown.')}\n` : text,
    );
  }

  /** Writes what is known of a build whose channel was dropped. */
  #writeAgain(run: BuildRun): void {
    this.#logs.delete(run);
    this.#write({ run });
    for (const event of run.trace.replay()) this.#write({ run, event });
    if (run.end) this.#write({ run, end: run.end });
  }

  /** Returns the first or the last line. */
  #frame(run: BuildRun, end: BuildNews['end']): string {
    const { request } = run.spec;
    const moment = new Date((end && run.endedAt) ?? run.startedAt);
    const time = moment.toLocaleTimeString(undefined, { hourCycle: 'h23' });
    if (!end) return `${time}  ${l10n.t('Building {0}', oneLine(request.dockerfile))}`;
    if (end.phase === 'canceled') return `${time}  ${l10n.t('Canceled')}`;
    if (end.phase === 'failed')
      return `${time}  ${l10n.t('Failed: {0}', oneLine(this.#describe(end.error), 2000))}\n`;
    const duration = formatDuration((run.endedAt ?? run.startedAt) - run.startedAt);
    const cached = formatCached(run.counts);
    return `${time}  ${l10n.t('Built {0} in {1}, {2}', end.result.imageId || oneLine(run.title), duration, cached)}\n`;
  }
}

/** The log of a build in its channel. */
interface BuildLog {
  readonly transcript: BuildTranscript;
  /** The length of text that the channel still accepts. */
  left: number;
}

/** Returns how far a build is, and the step that began last. */
function progressText({ trace, counts }: BuildRun): string {
  const running = trace.steps.filter(({ step }) => step.state === 'running').at(-1);
  // Until the base image is there, Podman has reported no step that counts.
  const share = counts.all > 0 ? l10n.t('{0} of {1} steps', counts.finished, counts.all) : '';
  const step = running ? displayText(oneLine(running.step.name, 100)) : '';
  return [share, step].filter((part) => part !== '').join(' · ');
}
