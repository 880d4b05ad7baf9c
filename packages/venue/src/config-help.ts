import {
  CONFIG_KEYS,
  type Config,
  type ConfigKey,
  defaultOf,
  envName,
  flagName,
  SWITCHES,
} from './config.ts';

/** What each setting does, in one line: `--help`, and the sample configuration is held against it. */

type Meaning = {
  readonly group: (typeof GROUPS)[number];
  readonly text: string;
  /** What it is when nobody sets it, where that takes words. */
  readonly unset?: string;
};

const GROUPS = [
  'Where it listens',
  'What it is',
  'Settlement chain',
  'Prices',
  'Test money and company',
  'Limits of clients',
  'Data',
  'The process',
] as const;

export const SETTINGS: Readonly<Record<ConfigKey, Meaning>> = {
  host: { group: 'Where it listens', text: 'interface of HTTP and WebSocket' },
  port: { group: 'Where it listens', text: 'port of HTTP and WebSocket; 0 takes any free one' },
  opsHost: { group: 'Where it listens', text: 'interface of metrics and health; keep it inside' },
  opsPort: {
    group: 'Where it listens',
    text: 'port of metrics and health; 0 takes any free one',
    unset: 'the port + 2',
  },
  trustedProxies: {
    group: 'Where it listens',
    text: 'addresses and networks whose X-Forwarded-For is believed',
    unset: 'none',
  },
  network: {
    group: 'What it is',
    text: 'testnet or mainnet; fixed with the first start of a folder',
  },
  serviceNetwork: {
    group: 'What it is',
    text: 'word that its own name begins with, best its domain; needed where money is not its own play money',
    unset: 'none',
  },
  admins: {
    group: 'What it is',
    text: "addresses that may send operator's actions; read by the first start of a folder",
    unset: 'none',
  },
  deployers: {
    group: 'What it is',
    text: 'addresses that may deploy outcome markets; read by the first start of a folder',
    unset: 'the admins',
  },
  relay: {
    group: 'Settlement chain',
    text: 'starts a relay and a second chain beside the local chain, on the port + 1 and + 4',
    unset: 'where the chain is local',
  },
  relayUrl: {
    group: 'What it is',
    text: 'URL of the relay that is shown in settings',
    unset: 'the own relay, else http://127.0.0.1:8691',
  },
  relayAddress: {
    group: 'Settlement chain',
    text: 'address of a relay elsewhere, which may name pegs on the operations port',
    unset: 'none',
  },
  chain: {
    group: 'Settlement chain',
    text: 'local, none, or URLs of JSON-RPC endpoints; of several two must agree',
    unset: 'local where there is a faucet, else none',
  },
  chainHost: {
    group: 'Settlement chain',
    text: 'interface of the local chains; what opens the venue to the world does not open these',
  },
  pageOrigins: {
    group: 'Settlement chain',
    text: 'where a proxy shows the page, like https://venue.example: wallets there may ask the local chains',
  },
  chainPort: {
    group: 'Settlement chain',
    text: 'port of the local chain; any free one where the port is 0',
    unset: 'port + 3',
  },
  chainConfirmations: {
    group: 'Settlement chain',
    text: 'blocks that a deposit needs, its own included',
    unset: '1 local, else 20',
  },
  chainEveryMs: {
    group: 'Settlement chain',
    text: 'milliseconds between two looks at the chain',
    unset: '250 local, else 2000',
  },
  chainMaxFeeGwei: {
    group: 'Settlement chain',
    text: 'most that is offered for a unit of gas',
  },
  chainMaxTipGwei: {
    group: 'Settlement chain',
    text: 'most of it that is offered as a tip',
  },
  chainBumpAfterMs: {
    group: 'Settlement chain',
    text: 'milliseconds in no block until a transaction offers more',
  },
  acceptReorganisation: {
    group: 'Settlement chain',
    text: 'block that a lost confirmed one was replaced by: crediting goes on',
    unset: 'none',
  },
  bridgeContract: {
    group: 'Settlement chain',
    text: 'address of the bridge on a chain that is not local',
    unset: 'none',
  },
  usdcContract: {
    group: 'Settlement chain',
    text: 'address of USDC on a chain that is not local',
    unset: 'none',
  },
  bridgeFromBlock: {
    group: 'Settlement chain',
    text: 'block that the bridge was made in, or any before',
  },
  reservesEveryMs: {
    group: 'Settlement chain',
    text: 'milliseconds between two publications of reserves; a day is at 00:00 UTC',
  },
  formerBridges: {
    group: 'Settlement chain',
    text: 'bridges that this one follows; what they pay over is no deposit',
    unset: 'none',
  },
  settlementRpcUrl: {
    group: 'Settlement chain',
    text: 'endpoint for wallets, shown in settings',
    unset: "the local chain's own",
  },
  relayerKey: {
    group: 'Settlement chain',
    text: 'file, or env:NAME, with the key that sends permits and payouts',
    unset: 'none; of the local chain its own',
  },
  validatorKeys: {
    group: 'Settlement chain',
    text: 'files, or env:NAME, with keys that sign payouts inside of this process',
    unset: 'none; of the local chain its own',
  },
  validators: {
    group: 'Settlement chain',
    text: 'URLs of processes that sign payouts (npm run validator)',
    unset: 'none',
  },
  payoutPatienceMs: {
    group: 'Settlement chain',
    text: 'milliseconds of being refused by the token until a payout is cancelled and returned',
  },
  oracle: {
    group: 'Prices',
    text: 'prices of perps: simulated, still, or exchanges; a mainnet takes exchanges alone',
  },
  oracleEveryMs: { group: 'Prices', text: 'milliseconds between two prices; 30,000 is too late' },
  referencePrices: {
    group: 'Prices',
    text: 'prices that outcome markets are about: simulated, still, exchanges or none',
    unset: 'as oracle where bots trade, else none',
  },
  referenceSymbols: { group: 'Prices', text: 'what has a reference price' },
  exchanges: {
    group: 'Prices',
    text: 'where real prices come from; the first one also gives spot prices',
    unset: 'binance,coinbase,kraken',
  },
  exchangesMin: { group: 'Prices', text: 'fewer exchanges that agree make no price' },
  exchangeSilentMs: { group: 'Prices', text: 'an exchange that is silent for longer is left out' },
  exchangeOutlierBps: {
    group: 'Prices',
    text: 'so is one further from the median of the others, in basis points',
  },
  faucet: {
    group: 'Test money and company',
    text: 'gives test money away at /request-fund; not on a mainnet',
    unset: 'on a testnet',
  },
  faucetUsdc: { group: 'Test money and company', text: 'USDC of one grant' },
  faucetEveryMs: {
    group: 'Test money and company',
    text: 'milliseconds between two grants to an address or client',
  },
  bots: {
    group: 'Test money and company',
    text: 'simulated traders, so that books are not empty; not on a mainnet',
    unset: 'where the oracle is simulated',
  },
  exhibition: {
    group: 'Test money and company',
    text: 'outcome markets that list and resolve themselves; not on a mainnet',
    unset: 'where bots trade',
  },
  web: {
    group: 'Test money and company',
    text: 'the trading page at /, built at the start when it is missing or old',
    unset: 'on',
  },
  limits: {
    group: 'Limits of clients',
    text: 'all limits of requests, connections and frames; off for load tests',
    unset: 'on',
  },
  infoPerSecond: { group: 'Limits of clients', text: '/info requests a second and client' },
  exchangePerSecond: { group: 'Limits of clients', text: '/exchange requests a second and client' },
  explainPerSecond: { group: 'Limits of clients', text: 'explainSignature queries of those' },
  simulatePerSecond: { group: 'Limits of clients', text: 'simulate queries of those' },
  connections: {
    group: 'Limits of clients',
    text: 'connections in all; never more than there are descriptors, 160 reserved',
  },
  connectionsPerClient: {
    group: 'Limits of clients',
    text: 'connections of one client',
  },
  bodies: {
    group: 'Limits of clients',
    text: 'bodies being read at once, in all',
  },
  bodiesPerClient: {
    group: 'Limits of clients',
    text: 'the same of one client',
  },
  bodyBytes: {
    group: 'Limits of clients',
    text: 'bytes of bodies without an answer yet, in all',
  },
  bodyBytesPerClient: {
    group: 'Limits of clients',
    text: 'the same of one client',
  },
  answerBytes: {
    group: 'Limits of clients',
    text: 'bytes of long answers that nobody has read, in all',
  },
  answerBytesPerClient: {
    group: 'Limits of clients',
    text: 'the same of one client',
  },
  unreadBytesPerSocket: {
    group: 'Limits of clients',
    text: 'bytes of frames that wait for one reader of streams',
  },
  unreadBytes: {
    group: 'Limits of clients',
    text: 'the same for all readers together',
  },
  workMsPerSecond: {
    group: 'Limits of clients',
    text: 'milliseconds a second that the queries of one client may cost',
  },
  workMsBurst: {
    group: 'Limits of clients',
    text: 'the same at once',
  },
  confirmTimeoutMs: {
    group: 'Limits of clients',
    text: 'milliseconds that an answer with confirm waits; then HTTP 202',
  },
  data: { group: 'Data', text: 'folder of the log, snapshots and the history' },
  database: {
    group: 'Data',
    text: 'PostgreSQL for the history, as postgres://user@host/name',
    unset: 'history.sqlite in the data folder',
  },
  snapshotEveryBlocks: { group: 'Data', text: 'blocks between two snapshots' },
  snapshotEveryCommands: { group: 'Data', text: 'or commands, whichever comes first' },
  receiptsKeptMs: { group: 'Data', text: 'milliseconds that receipts are kept' },
  diskLowBytes: {
    group: 'Data',
    text: "below this much room only cancels, reducing orders and operators' actions pass",
  },
  diskFullBytes: {
    group: 'Data',
    text: 'below this much room nothing is written and reads go on',
  },
  logKeep: {
    group: 'Data',
    text: 'all, or days after which old parts of the log go, and with them the audit',
    unset: 'all, 1 with simulated traders',
  },
  historyKeep: {
    group: 'Data',
    text: 'all, or days after which rows of the history go; receipts have receiptsKeptMs',
    unset: 'all, 1 with simulated traders',
  },
  acceptClock: {
    group: 'Data',
    text: 'starts though the log is ahead of the clock by more than 30 s; time then runs at half speed',
  },
  recoverWorkers: {
    group: 'The process',
    text: 'threads that check signatures',
    unset: 'cores - 1',
  },
  logLevel: { group: 'The process', text: 'fatal, error, warn, info, debug, trace or silent' },
  fault: {
    group: 'The process',
    text: 'test hook: slow-sync:MS delays every sync of the log; not on a mainnet',
    unset: 'none',
  },
};

/** What `--help` prints. */
export function helpText(): string {
  const groups = GROUPS.map((group) => {
    const keys = CONFIG_KEYS.filter((key) => SETTINGS[key].group === group);
    return `${group}\n${keys.map(usageOf).join('\n')}`;
  });
  return `Oddlot: a trading venue that anyone can run.

  npm start -- [flags]

${groups.join('\n\n')}

Others
  --config FILE
      settings from a TOML file
      environment ODDLOT_CONFIG; default none
  --help, --version
      print this, or the version, and end

A flag wins over the environment, that over the file, that over the default. A list is separated by
commas. Each setting is explained in docs/guides/running-a-venue.md; deploy/oddlot.toml is a sample.
`;
}

function usageOf(key: ConfigKey): string {
  const flag = SWITCHES.has(key)
    ? `--${flagName(key)}, --no-${flagName(key)}`
    : `--${flagName(key)} VALUE`;
  const where = `environment ${envName(key)}, file ${key}`;
  return `  ${flag}\n      ${SETTINGS[key].text}\n      ${where}; default ${defaultText(key)}`;
}

/** A default as one would write it. */
export function defaultText(key: ConfigKey): string {
  const { unset } = SETTINGS[key];
  if (unset !== undefined) return unset;
  const value = defaultOf(key) as Config[ConfigKey];
  return Array.isArray(value) ? value.join(',') : String(value);
}
