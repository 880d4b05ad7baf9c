import { parseAction } from '@oddlot/protocol';
import type { RegisterEventParameters, RegisterMarketParameters } from '@oddlot/sdk';
import { CliError } from '../cli-error.ts';
import { readJsonFile } from '../read-json-file.ts';

/** An event with its markets, as a deployer writes it down. */
export type EventFile = {
  readonly event: RegisterEventParameters;
  readonly markets: readonly RegisterMarketParameters[];
};

/** Reads the whole file by the shapes that a venue reads: what is listed can't be taken back. */
export function readEventFile(file: string): EventFile {
  const { event, markets } = readJsonFile<{ event: RegisterEventParameters; markets: unknown }>(
    file,
    ['event', 'markets'],
  );
  if (!Array.isArray(markets)) throw new CliError('usage', `${file}: markets must be an array`);
  check(`${file}: event`, { registerEvent: event });
  const listed = markets.map((market: RegisterMarketParameters, index) => {
    const where = `${file}: markets[${index}]`;
    const { eventSlug } = market ?? {};
    if (eventSlug !== undefined && eventSlug !== event.slug) {
      throw new CliError('usage', `${where} refers to a different event, ${eventSlug}`);
    }
    const whole = { ...market, eventSlug: event.slug };
    check(where, { registerMarket: whole });
    return whole;
  });
  const slugs = listed.map(({ slug }) => slug);
  const twice = slugs.find((slug, index) => slugs.indexOf(slug) !== index);
  if (twice !== undefined)
    throw new CliError('usage', `${file}: the slug ${twice} is used by two markets`);
  if (event.endTime <= event.startTime) {
    throw new CliError('usage', `${file}: event: endTime must be after startTime`);
  }
  return { event, markets: listed };
}

function check(where: string, variant: object): void {
  const parsed = parseAction({ type: 'outcomeDeploy', ...variant });
  if (!parsed.ok) throw new CliError('usage', `${where}: ${parsed.error.message}`);
}
