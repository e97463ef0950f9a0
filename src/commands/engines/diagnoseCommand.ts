import * as l10n from '@vscode/l10n';
import { diagnose } from '../../engines/diagnosis.ts';
import { formatDiagnosis } from '../../engines/formatDiagnosis.ts';
import type { Engines } from '../../engines/engines.ts';
import { candidatesOf } from '../../engines/engineSpecs.ts';
import type { WindowCommand } from '../frame/command.ts';
import type { EngineChoice } from '../frame/engineChoice.ts';
import type { EngineFactory, EngineUnit } from '../../engines/engineUnit.ts';
import type { Ui } from '../ui/ui.ts';

interface DiagnoseArguments {
  readonly engine?: string;
}

interface Report {
  readonly report: string;
}

/** Tests the connections to engines step by step. For the user, shows the report as a read-only document. */
export function diagnoseCommand(
  ui: Ui,
  parts: DiagnoseDependencies,
): WindowCommand<DiagnoseArguments, Report> {
  return {
    id: 'gantry.engines.diagnose',
    on: 'window',
    schema: { engine: { kind: 'text' } },
    failureTitle: l10n.t('Could not diagnose the connection'),
    run: ({ engine }) => {
      const unit = engine === undefined ? undefined : parts.choice.named(engine);
      return reportOn(ui, unit, parts, new AbortController().signal);
    },
    runInteractive: async (unit) => {
      const diagnosis = await ui.progress(
        l10n.t('Checking engine connections'),
        'atOnce',
        (signal) => reportOn(ui, unit, parts, signal),
      );
      const name = unit ? l10n.t('Diagnosis of {0}', unit.name) : l10n.t('Diagnosis of engines');
      await ui.showText(unit?.id ?? '', name, diagnosis.report);
      return diagnosis;
    },
  };
}

/** The dependencies of the command. */
interface DiagnoseDependencies {
  readonly engines: Engines;
  readonly maker: EngineFactory;
  readonly choice: EngineChoice;
}

/** @param unit the only engine to test; undefined for all engines and all other addresses. */
async function reportOn(
  ui: Ui,
  unit: EngineUnit | undefined,
  { engines, maker: { machine, version } }: DiagnoseDependencies,
  signal: AbortSignal,
): Promise<Report> {
  const found = await diagnose(
    {
      machine,
      userAgent: `Gantry/${version}`,
      hostSetting: ui.settings.host(),
      engines: unit ? [unit] : engines.all,
      choose: (one) => candidatesOf(one, ui.settings, machine),
      isWide: unit === undefined,
    },
    signal,
  );
  const report = formatDiagnosis(found, {
    version,
    editor: ui.editor,
    remoteName: ui.remoteName,
    architecture: process.arch,
    machine,
  });
  return { report };
}
