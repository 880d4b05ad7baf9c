import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { BRIDGE_PROGRAM, VALIDATOR_PROGRAM } from '@oddlot/custody/programs';
import { RELAY_PROGRAM } from '@oddlot/relay';
import { VENUE_PROGRAM } from '@oddlot/venue/program';

/** Programs with settings of their own: all that stands behind the name is theirs, `--help` as well. */
const PROGRAMS = [
  ['start', VENUE_PROGRAM, 'a venue, by its settings or a file: --config oddlot.toml'],
  ['relay', RELAY_PROGRAM, 'a relay between chains'],
  ['validator', VALIDATOR_PROGRAM, 'signs payouts for a bridge'],
  ['bridge', BRIDGE_PROGRAM, 'what operators do with a bridge: deploy, status, pause, rotate'],
] as const;

export function addPrograms(program: Command): void {
  for (const [name, file, summary] of PROGRAMS) {
    program
      .command(name)
      .summary(summary)
      .helpOption(false)
      .allowUnknownOption()
      .argument('[settings...]', 'its own settings')
      .action(async () => {
        const at = process.argv.indexOf(name, 2);
        process.argv.splice(1, at, file);
        await import(pathToFileURL(file).href);
      });
  }
}
