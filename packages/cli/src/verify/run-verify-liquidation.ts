import { type Client, createClient, type Fill, type LedgerUpdate } from '@oddlot/sdk';
import type { BlockRows } from '@oddlot/history/rows/block-rows';
import { CliError } from '../cli-error.ts';
import { wholeNumber } from '../arguments.ts';
import {
  bankruptcyPrice,
  checkFills,
  money,
  moneyText,
  positionAt,
  priceText,
  riskOf,
  type Step,
} from './liquidation-arithmetic.ts';
import {
  Findings,
  type Print,
  readCheckOptions,
  replayLog,
  runCheck,
  urlOf,
  VENUE_AND_LOG,
} from './run-check.ts';

/**
 * Recomputes why an account was liquidated, and at what prices (R-liquidation):
 *
 * `oddlot verify liquidation --user 0x… [--time MS | --tid ID] [--url http://127.0.0.1:8690] [--log
 * http://127.0.0.1:8692] [--json]`
 *
 * By default, the newest liquidation is checked. Its steps and fills are public, and they are
 * sufficient to recompute the margin, the ratio, the limits and the fees from the reported mark.
 * Recomputing the mark itself requires the log, because the mark depends on all earlier blocks.
 */
type LiquidationCheck = {
  readonly user: string;
  readonly time: number | undefined;
  readonly tid: number | undefined;
  readonly url: string;
  readonly network: string | undefined;
  readonly log: string | undefined;
};

type Delta<Type extends LedgerUpdate['delta']['type']> = Extract<
  LedgerUpdate['delta'],
  { type: Type }
>;
type StepRow = LedgerUpdate & { readonly delta: Delta<'liquidation'> };

/** The venue's report of one liquidation: an account's events in one block. */
type Reported = {
  readonly height: number;
  readonly steps: readonly StepRow[];
  /** The prices at which the account's positions were deleveraged in the same block. */
  readonly noticed: readonly Delta<'adl'>[];
  /** The fills of the account in this block, oldest first. */
  readonly fills: readonly Fill[];
};

async function verifyLiquidation(check: LiquidationCheck): Promise<Findings> {
  const { log, network, url, user } = check;
  const client = createClient({ url, network });
  const reported = await ask(client.info, check);
  const findings = new Findings();
  const steps: Step[] = [];
  for (const row of reported.steps) steps.push(await checkStep(findings, client.info, row));
  checkFills(findings, steps, reported);
  if (log === undefined) {
    findings.believe('the marks', 'depend on all earlier blocks; use --log to recompute them');
    return findings;
  }
  const { serviceNetwork } = await client.network();
  await checkByLog(findings, reported, { log, serviceNetwork, user });
  return findings;
}

async function ask(info: Client['info'], { tid, time, user }: LiquidationCheck): Promise<Reported> {
  const newest = await firstStep(
    info,
    user,
    tid === undefined ? time : await timeOf(info, user, tid),
  );
  const span = { user, startTime: newest.time, endTime: newest.time };
  const rows: LedgerUpdate[] = [];
  for await (const row of info.allUserNonFundingLedgerUpdates(span)) {
    if (row.hash === newest.hash) rows.unshift(row);
  }
  const fills: Fill[] = [];
  for await (const fill of info.allUserFills(span)) {
    if (fill.hash === newest.hash) fills.unshift(fill);
  }
  const { height } = await info.block({ hash: newest.hash });
  const deltas = rows.map(({ delta }) => delta);
  return {
    height,
    steps: rows.filter(isStep),
    noticed: deltas.filter((delta) => delta.type === 'adl'),
    fills,
  };
}

function isStep(row: LedgerUpdate): row is StepRow {
  return row.delta.type === 'liquidation';
}

/** Returns the first step of a liquidation. Any step identifies its block. */
async function firstStep(
  info: Client['info'],
  user: string,
  time: number | undefined,
): Promise<StepRow> {
  const span = time === undefined ? {} : { startTime: time, endTime: time };
  for await (const row of info.allUserNonFundingLedgerUpdates({ user, ...span })) {
    if (isStep(row)) return row;
  }
  const when = time === undefined ? '' : ` at ${time}`;
  throw new CliError('usage', `${user} was not liquidated${when}`);
}

async function timeOf(info: Client['info'], user: string, tid: number): Promise<number> {
  for await (const fill of info.allUserFills({ user })) if (fill.tid === tid) return fill.time;
  throw new CliError('usage', `${user} has no fill ${tid}`);
}

/** Checks the reason for a step: the margin ratio and its components. */
async function checkStep(
  findings: Findings,
  info: Client['info'],
  { delta }: StepRow,
): Promise<Step> {
  const { leverageType, liquidatedPositions, markPx, step } = delta;
  const scope = {
    equity: money(delta.accountValue),
    maintenance: money(delta.maintenanceMargin),
    notional: money(delta.liquidatedNtlPos),
  };
  const at = `${step}:`;
  const risk = riskOf(scope);
  findings.holds(
    `${at} account value ${delta.accountValue} is at or below maintenance margin plus fee:`,
    scope.equity <= risk,
    moneyText(risk),
    'above the limit: the account should not have been liquidated',
    `${at} account value ${delta.accountValue} is above maintenance margin plus fee (${moneyText(risk)}), so the account should not have been liquidated`,
  );
  const [first] = liquidatedPositions;
  const instrument = first === undefined ? undefined : await instrumentOf(info, first.coin);
  if (first === undefined || instrument === undefined) {
    const why =
      first === undefined
        ? 'the ledger row lists no position'
        : `${first.coin} is no longer listed`;
    findings.believe(`${at} the position`, why);
    return { row: delta, scope, instrument: undefined };
  }
  const position = positionAt(instrument, first.szi, markPx);
  // A cross account can have other positions that are not among the rows.
  const isWhole = leverageType === 'Isolated' || position.notional === scope.notional;
  const what = `${first.szi} ${first.coin} at ${markPx}`;
  if (isWhole) {
    const { maintenance, notional } = position;
    const margin = delta.maintenanceMargin;
    findings.same(`${at} value of ${what}`, delta.liquidatedNtlPos, moneyText(notional));
    findings.same(`${at} maintenance margin of ${what}`, margin, moneyText(maintenance));
  } else {
    const isPart = position.notional <= scope.notional && position.maintenance <= scope.maintenance;
    const most = `${delta.liquidatedNtlPos} and ${delta.maintenanceMargin}`;
    const part = `${moneyText(position.notional)} and ${moneyText(position.maintenance)}`;
    findings.holds(
      `${at} ${what} is within the account's total value and maintenance margin of`,
      isPart,
      most,
      part,
      `${at} ${what} has a value and maintenance margin of ${part}, above the account's totals of ${most}`,
    );
    findings.believe(`${at} the account's other positions`, 'not listed in the ledger row');
  }
  // The deficit of an insolvent account is divided according to its positions' losses, which the
  // rows do not give.
  const bankrupt = scope.equity < 0n ? undefined : bankruptcyPrice(scope, position);
  const price = bankrupt === undefined ? 'not reported' : priceText(instrument, bankrupt);
  if (bankrupt === undefined) {
    findings.believe(`${at} bankruptcy price`, "depends on the previous block's marks");
  }
  return { row: delta, scope, instrument, position, bankrupt, price };
}

/** Returns the current terms, which an operator may have changed since the liquidation. */
async function instrumentOf(info: Client['info'], coin: string): Promise<Step['instrument']> {
  const { universe } = await info.perpMeta();
  const listed = universe.find(({ name }) => name === coin);
  if (listed === undefined) return undefined;
  const { instruments } = await info.perpMetaDetail({ assetName: listed.baseCurrency });
  return instruments.find(({ perp }) => perp.instrumentId === listed.index);
}

/** Compares the liquidation with a replay of the log in the checker's own engine. */
async function checkByLog(
  findings: Findings,
  { fills, height, steps }: Reported,
  asked: { readonly log: string; readonly serviceNetwork: string; readonly user: string },
): Promise<void> {
  const { log, serviceNetwork, user } = asked;
  let own: BlockRows | undefined;
  const report = await replayLog(log, {
    serviceNetwork,
    to: height,
    onRows: (rows) => {
      if (rows.head.height === height) own = rows;
    },
  });
  const { finding } = report;
  if (finding !== undefined) {
    const where = `block ${finding.height}`;
    const disagreement = `the log is not valid at ${where}: ${finding.what}`;
    findings.holds('the log is valid at', false, where, finding.what, disagreement);
    return;
  }
  const ofUser = <Row extends { readonly user: string }>(rows: readonly Row[] = []): Row[] =>
    rows.filter((each) => each.user === user.toLowerCase());
  const ownSteps = ofUser(own?.ledger)
    .map(({ row }) => row)
    .filter(isStep);
  const ownFills = ofUser(own?.fills).map(({ row }) => row);
  const hash = own?.head.hash;
  compareRows(findings, 'step', steps, ownSteps);
  compareRows(
    findings,
    'fill',
    fills,
    ownFills.filter((fill) => fill.hash === hash),
  );
  for (const what of report.believed) findings.believe('in the log', what);
}

/** Compares the liquidation row by row, so that the message can name the difference. */
function compareRows(
  findings: Findings,
  what: string,
  reported: readonly object[],
  own: readonly object[],
): void {
  for (let at = 0; at < Math.max(reported.length, own.length); at++) {
    const label = `${what} ${at + 1} (compared with the log)`;
    findings.same(label, reported[at], plain(own[at]), VENUE_AND_LOG);
  }
}

/** Returns the JSON form, without undefined fields. */
function plain(row: object | undefined): unknown {
  return row === undefined ? undefined : JSON.parse(JSON.stringify(row));
}

const USAGE =
  'usage: oddlot verify liquidation --user <address> [--time <ms> or --tid <id>] [--url <url>] [--network <name>] [--log <url>] [--json]';

export function runVerifyLiquidation(args: readonly string[], print: Print): Promise<number> {
  return runCheck({ args, print }, async () => {
    const asked = readCheckOptions(args, {
      user: { type: 'string' },
      time: { type: 'string' },
      tid: { type: 'string' },
      url: { type: 'string', default: 'http://127.0.0.1:8690' },
      network: { type: 'string' },
      log: { type: 'string' },
      json: { type: 'boolean' },
    });
    const { json, log, network, tid, time, url, user = '' } = asked;
    const isBoth = time !== undefined && tid !== undefined;
    if (!/^0x[0-9a-f]{40}$/i.test(user) || isBoth) throw new CliError('usage', USAGE);
    const findings = await verifyLiquidation({
      user,
      time: time === undefined ? undefined : wholeNumber('--time', time),
      tid: tid === undefined ? undefined : wholeNumber('--tid', tid),
      url: urlOf(url),
      network,
      log: log === undefined ? undefined : urlOf(log),
    });
    print(json === true ? JSON.stringify(findings.all) : findings.lines().join('\n'));
    return findings.exitCode;
  });
}
