import { renameVenue } from '@oddlot/replica/rename-venue';
import { readConfig } from '@oddlot/venue';

/**
 * Changes the network name in a stopped venue's data folder, so that requests signed for the old
 * name are not executed there:
 *
 * `npm run rename-venue -- --data ./copy --service-network example.org`
 *
 * The command reads the venue's settings from flags, the environment or a file. It exits with code
 * 0 once the new name is on disk.
 */
async function runRenameVenue(
  args: readonly string[],
  {
    environment,
    stdout,
    stderr,
  }: {
    readonly environment: NodeJS.ProcessEnv;
    readonly stdout: Terminal;
    readonly stderr: Terminal;
  },
): Promise<number> {
  try {
    const { data, serviceNetwork: word } = readConfig([...args], environment);
    if (word === undefined)
      throw new Error('Missing --service-network. Set the first part of the network name');
    const { former, name } = await renameVenue({ data, word });
    const before = former === undefined ? '' : ` (previously ${former})`;
    stdout.write(`network name of ${data}: ${name}${before}\n`);
    return 0;
  } catch (error) {
    stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

type Terminal = { write(text: string): unknown };

if (import.meta.main) {
  const { env: environment, stdout, stderr } = process;
  process.exitCode = await runRenameVenue(process.argv.slice(2), { environment, stdout, stderr });
}
