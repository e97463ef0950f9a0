import * as vscode from 'vscode';
import { inspectContainer } from '../../engine/containers/containers.ts';
import { inspectImage } from '../../engine/images/images.ts';
import type { Documents } from '../documents.ts';
import type { TargetCommand } from '../command.ts';

const { l10n } = vscode;

/** The engine's whole answer about a container; for a person as a read-only document. */
export function inspectContainerCommand(documents: Documents): TargetCommand<object, unknown> {
  return {
    id: 'gantry.containers.inspect',
    kind: 'container',
    schema: {},
    progressTitle: (name) => l10n.t('Inspecting {0}', name),
    failureTitle: (name) => l10n.t('Could not inspect {0}', name),
    run: async (call) => {
      const { id, name, context } = await call.target();
      const { raw } = await inspectContainer(await call.connect(), id, call.signal);
      if (call.isInteractive) await documents.showJson(context.unit.id, name, raw);
      return raw;
    },
  };
}

/** The engine's whole answer about an image; for a person as a read-only document. */
export function inspectImageCommand(documents: Documents): TargetCommand<object, unknown> {
  return {
    id: 'gantry.images.inspect',
    kind: 'image',
    schema: {},
    progressTitle: (name) => l10n.t('Inspecting {0}', name),
    failureTitle: (name) => l10n.t('Could not inspect {0}', name),
    run: async (call) => {
      const { id, name, context } = await call.target();
      const { raw } = await inspectImage(await call.connect(), id, call.signal);
      if (call.isInteractive) await documents.showJson(context.unit.id, name, raw);
      return raw;
    },
  };
}
