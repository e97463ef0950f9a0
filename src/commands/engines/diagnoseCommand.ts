import * as vscode from 'vscode';
import { diagnose } from '../../engines/diagnosis.ts';
import { formatDiagnosis } from '../../engines/formatDiagnosis.ts';
import type { Engines } from '../../engines/engines.ts';
import { candidatesOf } from '../../engines/engineSpecs.ts';
import type { EngineUnit } from '../../engines/engineUnit.ts';
import { settings } from '../../settings.ts';
import type { WindowCommand } from '../command.ts';
import type { Documents } from '../documents.ts';
import type { EngineChoice } from './engineChoice.ts';
import type { EngineFactory } from '../../engines/engineFactory.ts';
import { withProgress } from '../notifications.ts';

const { l10n } = vscode;

interface DiagnoseArguments {
  readonly engine?: string;
}

interface Report {
  readonly report: string;
}

/** Tries the engines step by step; for a user the report is a read-only document. */
export function diagnoseCommand(
  parts: DiagnoseDependencies,
): WindowCommand<DiagnoseArguments, Report> {
  return {
    id: 'gantry.engines.diagnose',
    schema: { engine: { kind: 'text' } },
    failureTitle: l10n.t('Could not diagnose'),
    run: ({ engine }) => {
      const unit = engine === undefined ? undefined : parts.choice.named(engine);
      return reportOn(unit, parts, new AbortController().signal);
    },
    runInteractive: async (unit) => {
      const told = await withProgress(
        l10n.t('Trying each engine step by step'),
        'atOnce',
        (signal) => reportOn(unit, parts, signal),
      );
      const name = unit ? l10n.t('Diagnosis of {0}', unit.name) : l10n.t('Diagnosis of engines');
      await parts.documents.showText(unit?.id ?? '', name, told.report);
      return told;
    },
  };
}

/** What the command stands on. */
export interface DiagnoseDependencies {
  readonly engines: Engines;
  readonly maker: EngineFactory;
  readonly documents: Documents;
  readonly choice: EngineChoice;
}

/** @param unit the only one to look at; undefined for all, and all other places. */
async function reportOn(
  unit: EngineUnit | undefined,
  { engines, maker: { machine, version } }: DiagnoseDependencies,
  signal: AbortSignal,
): Promise<Report> {
  const found = await diagnose(
    {
      machine,
      l10n,
      userAgent: `Gantry/${version}`,
      hostSetting: settings.host(),
      engines: unit ? [unit] : engines.all,
      choose: (one) => candidatesOf(one, settings, machine),
      isWide: unit === undefined,
    },
    signal,
  );
  const report = formatDiagnosis(found, {
    version,
    editor: `${vscode.env.appName} ${vscode.version}`,
    remoteName: vscode.env.remoteName,
    architecture: process.arch,
    machine,
    l10n,
  });
  return { report };
}
