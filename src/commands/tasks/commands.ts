import type { Command } from '../frame/command.ts';
import { runCommandCommand } from './runCommandCommand.ts';

/** The command that runs another one in a container, as a task. */
export const commands = (): readonly Command[] => [runCommandCommand()];
