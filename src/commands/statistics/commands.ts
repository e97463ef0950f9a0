import type { Command } from '../frame/command.ts';
import { showStatisticsCommand } from './showStatisticsCommand.ts';
import { statsCommand } from './statsCommand.ts';

/** The commands on the statistics of containers. */
export const commands = (): readonly Command[] => [showStatisticsCommand(), statsCommand()];
