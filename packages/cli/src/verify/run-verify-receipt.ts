import {
  type ActionStatus,
  type BlockDetail,
  type Client,
  createClient,
  type TxDetail,
} from '@oddlot/sdk';
import { createRecoverer } from '@oddlot/api/recoverer';
import { decodeReceiptBody } from '@oddlot/history/receipt';
import type { BlockRows } from '@oddlot/history/rows/block-rows';
import { createTextHasher } from '@oddlot/replica/block-hash';
import { CliError } from '../cli-error.ts';
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
 * Recomputes the receipt of a request (R-tx):
 *
 * `oddlot verify receipt --tx 0x… [--url http://127.0.0.1:8690] [--network NAME] [--log
 * http://127.0.0.1:8692] [--json]`
 *
 * Public data is sufficient for the hash, the signer and the position in the chain of blocks.
 * Recomputing the result of the request requires the log, because the result depends on all earlier
 * blocks.
 */
type ReceiptCheck = {
  readonly txHash: string;
  readonly url: string;
  readonly network: string | undefined;
  readonly log: string | undefined;
};

type Reported = {
  readonly tx: TxDetail;
  readonly status: ActionStatus;
  readonly block: BlockDetail;
};

async function verifyReceipt(check: ReceiptCheck): Promise<Findings> {
  const { log, network, txHash, url } = check;
  const client = createClient({ url, network });
  const reported = await ask(client.info, txHash);
  const findings = new Findings();
  await checkSignature(findings, reported.tx, client, txHash);
  await checkBlock(findings, reported, client.info);
  checkReceipt(findings, reported);
  if (log === undefined) {
    findings.believe('the result', 'depends on all earlier blocks; use --log to recompute it');
    return findings;
  }
  const { serviceNetwork } = await client.network();
  await checkByLog(findings, reported, { log, serviceNetwork });
  return findings;
}

async function ask(info: Client['info'], txHash: string): Promise<Reported> {
  const [tx, status] = await Promise.all([info.tx({ txHash }), info.actionStatus({ txHash })]);
  return { tx, status, block: await info.block({ height: tx.block }) };
}

/** Checks the hash of the request and its signer. */
async function checkSignature(
  findings: Findings,
  tx: TxDetail,
  client: Client,
  txHash: string,
): Promise<void> {
  const { action, expiresAfter, nonce, signature, signatureChainId, vaultAddress } = tx;
  if (isWithheld(tx)) {
    const why = 'the venue does not publish part of the signed data, so that others cannot use it';
    findings.believe('hash and signer', why);
    return;
  }
  const envelope = { action, nonce, signature, vaultAddress, signatureChainId, expiresAfter };
  const recoverer = await createRecoverer(await client.network());
  const found = recoverer.recover(JSON.stringify(envelope));
  findings.same('hash of the signed data', txHash, found.txHash ?? found.fault);
  findings.same('signer', tx.signer, found.signer ?? 'none');
}

/**
 * Returns true if the request is not fully public: for a delayed order, only the type is shown, and
 * access codes are masked.
 */
function isWithheld({ action }: TxDetail): boolean {
  const gate = action['setGate'] as { accessCodes?: unknown; grants?: unknown } | undefined;
  if (gate?.accessCodes !== undefined || gate?.grants !== undefined) return true;
  return action.type === 'order' && action['orders'] === undefined;
}

async function checkBlock(
  findings: Findings,
  { block, tx }: Reported,
  info: Client['info'],
): Promise<void> {
  const row = block.txs.find(({ hash }) => hash === tx.hash);
  findings.holds(
    `block ${block.height} contains request`,
    row !== undefined,
    tx.hash,
    'none',
    `block ${block.height} does not contain request ${tx.hash}`,
  );
  findings.same('block time', tx.time, block.blockTime, ['request', 'block']);
  const hashText = await createTextHasher();
  const { blockTime, hash, height, parentHash, stateHash } = block;
  const hashes = block.txs.map((each) => each.hash);
  const computed = hashText([parentHash, height, blockTime, stateHash, ...hashes].join('\n'));
  if (computed === hash) findings.same('block hash', hash, computed);
  else {
    const why = `${hash}: the block includes unsigned commands, which only the log contains`;
    findings.believe('block hash', why);
  }
  const [next, , before] = await info.blocks({ before: height + 2, limit: 3 }).then((rows) =>
    // Without a next block, the list starts with this block.
    rows[0]?.height === height ? [undefined, ...rows] : rows,
  );
  if (before !== undefined) {
    const sources = ['reported', `but the hash of block ${before.height} is`] as const;
    findings.same(`parent hash of block ${height}`, parentHash, before.hash, sources);
  }
  if (next !== undefined) {
    const sources = ['reported', `but the hash of block ${height} is`] as const;
    findings.same(`parent hash of block ${next.height}`, next.parentHash, hash, sources);
  }
}

/** Compares the receipt with the explorer's data, a separate response from the same venue. */
function checkReceipt(findings: Findings, { block, status, tx }: Reported): void {
  if (status.status === 'unknown') {
    findings.believe('the receipt', 'no longer stored');
    return;
  }
  const sources = ['receipt', 'explorer'] as const;
  const explored = { height: block.height, time: block.blockTime, hash: block.hash };
  findings.same('signer (in receipt and explorer)', status.signer, tx.signer, sources);
  findings.same('nonce (in receipt and explorer)', status.nonce, tx.nonce, sources);
  findings.same('block (in receipt and explorer)', status.block, explored, sources);
  findings.same('result (in receipt and explorer)', status.result, tx.result, sources);
}

/** Compares the result with a replay of the log in the checker's own engine. */
async function checkByLog(
  findings: Findings,
  { block, status, tx }: Reported,
  { log, serviceNetwork }: { readonly log: string; readonly serviceNetwork: string },
): Promise<void> {
  let own: BlockRows | undefined;
  let receipt: BlockRows['receipts'][number] | undefined;
  const report = await replayLog(log, {
    serviceNetwork,
    onRows: (rows) => {
      if (rows.head.height === block.height) own = rows;
      receipt ??= rows.receipts.find(({ txHash }) => txHash === tx.hash);
    },
    // The receipt of a delayed order is in a later block.
    isDone: () => own !== undefined && receipt !== undefined,
  });
  const { finding } = report;
  if (finding !== undefined) {
    const where = `block ${finding.height}`;
    const disagreement = `the log is not valid at ${where}: ${finding.what}`;
    findings.holds('the log is valid at', false, where, finding.what, disagreement);
    return;
  }
  const { head, txs = [] } = own ?? {};
  const compare = (what: string, reported: unknown, logged: unknown): void =>
    findings.same(`${what} (compared with the log)`, reported, logged, VENUE_AND_LOG);
  compare('block hash', block.hash, head?.hash);
  compare('state hash', block.stateHash, head?.stateHash);
  const row = txs.find(({ txHash }) => txHash === tx.hash);
  compare('index in the block', tx.index, row?.index);
  compare('account', tx.user, row?.user);
  if (receipt === undefined || status.status === 'unknown') return;
  const { outcome } = decodeReceiptBody(receipt.body);
  compare('result', status.result, outcome.result);
  compare('error', status.error, outcome.error);
  for (const what of report.believed) findings.believe('in the log', what);
}

const USAGE =
  'usage: oddlot verify receipt --tx <hash> [--url <url>] [--network <name>] [--log <url>] [--json]';

export function runVerifyReceipt(args: readonly string[], print: Print): Promise<number> {
  return runCheck({ args, print }, async () => {
    const asked = readCheckOptions(args, {
      tx: { type: 'string' },
      url: { type: 'string', default: 'http://127.0.0.1:8690' },
      network: { type: 'string' },
      log: { type: 'string' },
      json: { type: 'boolean' },
    });
    const { json, log, network, tx = '', url } = asked;
    if (!/^0x[0-9a-f]{64}$/i.test(tx)) throw new CliError('usage', USAGE);
    const findings = await verifyReceipt({
      txHash: tx.toLowerCase(),
      url: urlOf(url),
      network,
      log: log === undefined ? undefined : urlOf(log),
    });
    print(json === true ? JSON.stringify(findings.all) : findings.lines().join('\n'));
    return findings.exitCode;
  });
}
