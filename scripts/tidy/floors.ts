import { AUDIT_FLOORS } from './floors-audit.ts';
import { CLI_FLOORS } from './floors-cli.ts';
import { CUSTODY_FLOORS } from './floors-custody.ts';
import { DEVCHAIN_FLOORS } from './floors-devchain.ts';
import { HOST_FLOORS } from './floors-host.ts';
import { PROTOCOL_FLOORS } from './floors-protocol.ts';
import { RELAY_FLOORS } from './floors-relay.ts';
import { SDK_FLOORS } from './floors-sdk.ts';
import { TESTKIT_FLOORS } from './floors-testkit.ts';
import { UNITS_FLOORS } from './floors-units.ts';
import { VENUE_FLOORS } from './floors-venue.ts';
import { WEB_FLOORS } from './floors-web.ts';
import { importsOf, isTestPath, resolveImport } from './imports.ts';
import type { Finding, Source } from './source.ts';

/**
 * The floors of a package: a file imports from its own room and from the floors below, types
 * included. An import that runs up, or across to another room of the same floor, is how circles
 * begin; nobody can then read one part without the others.
 */

type Floor = {
  readonly name: string;
  /** Its rooms, relative to the package's sources: a file, a folder when it ends in a slash, each folder of one when in `*` and a slash. */
  readonly paths: readonly string[];
  readonly what: string;
};

/** The floors of one package, top first. */
export type FloorTable = {
  /** Where the package's sources are, with a slash at the end. */
  readonly root: string;
  readonly floors: readonly Floor[];
};

/** Of `packages/engine/src`: shapes below rules, perps and outcome markets beside each other. */
const ENGINE_FLOORS: readonly Floor[] = [
  { name: 'testing', paths: ['testing/'], what: 'set-ups and generators of tests' },
  { name: 'entry point', paths: ['index.ts'], what: 'entry point' },
  { name: 'simulate', paths: ['simulate/'], what: 'executes a command on a fork of the state' },
  {
    name: 'transition',
    paths: ['apply-block.ts', 'check-command.ts'],
    what: 'applies a block; the same checks ahead of it',
  },
  {
    name: 'commands',
    paths: ['commands/'],
    what: 'table of all commands; which run first in a block',
  },
  { name: 'handlers', paths: ['handlers/'], what: 'commands, one file per subject' },
  {
    name: 'steps and readers',
    paths: ['steps/', 'read/'],
    what: 'automatic steps of a block; queries of the state',
  },
  {
    name: 'whole state',
    paths: ['dump/', 'liquidation/', 'invariants/'],
    what: 'dump and restore; accounts at risk; invariants',
  },
  {
    name: 'orders',
    paths: ['orders/', 'triggers/'],
    what: 'common entry to both kinds of order; trigger orders',
  },
  {
    name: 'matching',
    paths: ['perp-orders/', 'outcome/'],
    what: 'validate, match, settle, rest; the two kinds are independent',
  },
  { name: 'resting', paths: ['resting/'], what: 'common parts of both kinds of order' },
  { name: 'ledger', paths: ['ledger/'], what: 'the only code that changes balances' },
  {
    name: 'rules',
    paths: ['auth/', 'perp/'],
    what: 'permissions; arithmetic of margin, funding and marks',
  },
  { name: 'state', paths: ['state/'], what: 'all types of the state' },
  { name: 'book', paths: ['book/'], what: 'order pool and price levels' },
  {
    name: 'ground',
    paths: ['messages/', 'collections/'],
    what: 'commands, events, refusals, limits; maps, queues, digest',
  },
];

/** Every package that has floors. */
export const FLOOR_TABLES: readonly FloorTable[] = [
  { root: 'packages/units/src/', floors: UNITS_FLOORS },
  { root: 'packages/engine/src/', floors: ENGINE_FLOORS },
  { root: 'packages/protocol/src/', floors: PROTOCOL_FLOORS },
  { root: 'packages/host/src/', floors: HOST_FLOORS },
  { root: 'packages/devchain/src/', floors: DEVCHAIN_FLOORS },
  { root: 'packages/custody/src/', floors: CUSTODY_FLOORS },
  { root: 'packages/relay/src/', floors: RELAY_FLOORS },
  { root: 'packages/venue/src/', floors: VENUE_FLOORS },
  { root: 'packages/audit/src/', floors: AUDIT_FLOORS },
  { root: 'packages/sdk/src/', floors: SDK_FLOORS },
  { root: 'packages/testkit/src/', floors: TESTKIT_FLOORS },
  { root: 'packages/cli/src/', floors: CLI_FLOORS },
  { root: 'packages/web/src/', floors: WEB_FLOORS },
];

/** Imports of a file that leave its floor the wrong way, and a file that stands on none. */
export function checkFloors(
  source: Source,
  tables: readonly FloorTable[] = FLOOR_TABLES,
): Finding[] {
  const table = tables.find(({ root }) => source.path.startsWith(root));
  if (table === undefined) return [];
  const here = placeOf(table, source.path);
  if (here === undefined) {
    const message =
      'does not belong to a layer; move it to one of those in scripts/tidy/, or add its own';
    return [{ path: source.path, line: 1, rule: 'floor-outside', message }];
  }
  // A test may look anywhere.
  if (isTestPath(source.path)) return [];
  return importsOf(source).flatMap(({ line, specifier }) => {
    if (!specifier.startsWith('.')) return [];
    const there = placeOf(table, resolveImport(source.path, specifier));
    if (there === undefined || there.room === here.room || there.floor > here.floor) return [];
    const isUp = there.floor < here.floor;
    const message = isUp
      ? `"${specifier}" is in a layer above ${here.room}; move what both need down, or pass ` +
        'it as a parameter'
      : `"${specifier}" is in the same layer as ${here.room}; put what both need below, and ` +
        'what joins them above';
    return [{ path: source.path, line, rule: isUp ? 'floor-up' : 'floor-across', message }];
  });
}

type Place = { readonly floor: number; readonly room: string };

/** A test counts as the file that it stands beside. */
function placeOf({ floors, root }: FloorTable, path: string): Place | undefined {
  if (!path.startsWith(root)) return undefined;
  const inside = path.slice(root.length).replace(/(?:\.(?:prop|types))?\.test(?=\.tsx?$)/, '');
  for (const [floor, { paths }] of floors.entries()) {
    for (const each of paths) {
      const room = roomOf(each, inside);
      if (room !== undefined) return { floor, room };
    }
  }
  return undefined;
}

function roomOf(path: string, inside: string): string | undefined {
  if (path.endsWith('/*/')) {
    const folder = path.slice(0, -'*/'.length);
    const rest = inside.slice(folder.length);
    const end = rest.indexOf('/');
    return inside.startsWith(folder) && end > 0 ? folder + rest.slice(0, end + 1) : undefined;
  }
  const isHere = path.endsWith('/') ? inside.startsWith(path) : inside === path;
  return isHere ? path : undefined;
}
