import { setTimeout as later } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { DepositError, Depositor } from '@oddlot/custody/depositor';
import { type Client, createClient, privateKeyWallet, signPermit } from '@oddlot/sdk';
import { formatMoney, parseExact } from '@oddlot/units';
import { CliError, nameFields } from '../cli-error.ts';
import { print } from '../print.ts';
import type { GlobalOptions, CommandContext } from '../command-context.ts';
import { wholeNumber } from '../arguments.ts';
import { CONFIRM, printReply } from '../print-reply.ts';

type DepositOptions = GlobalOptions & {
  readonly rpc?: string;
  readonly transfer?: boolean;
  readonly waitSeconds: string;
};

const USDC_DECIMALS = 6;
const NO_ADDRESS = `0x${'0'.repeat(40)}`;
/** An unused permit expires after this time. */
const PERMIT_SECONDS = 3_600;
const WAIT_SECONDS = '600';
const LOOK_MS = 500;

/** Reports progress on standard error, because the result is on standard output. */
const say = (line: string): void => void process.stderr.write(`${line}\n`);

export function addDeposit(program: Command, around: CommandContext): void {
  program
    .command('deposit')
    .summary('Deposit USDC from the settlement chain')
    .description(
      'Sends USDC from your address on the settlement chain to the bridge and waits for the credit. By default you sign a ' +
        'permit and the venue submits it, so you need no ether; with --transfer you send the USDC yourself.',
    )
    .argument('<amount>', 'Amount of USDC')
    .option(
      '--transfer',
      'Send the USDC yourself and pay gas in ether, instead of signing a permit',
    )
    .option('--rpc <url>', "JSON-RPC endpoint for the chain (default: the venue's)")
    .option('--wait-seconds <n>', 'Maximum time to wait for the credit, in seconds', WAIT_SECONDS)
    .action(async (text: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<DepositOptions>();
      const waitMs = wholeNumber('--wait-seconds', options.waitSeconds) * 1_000;
      const { info } = createClient({ url: options.url });
      const settings = await info.settings();
      const amount = amountOf(text, settings.min_deposit);
      const rpc = endpointOf(options, settings);
      // A deposit credited to an agent's address would turn the agent into an account and end its
      // approval.
      await around.expectAccountKey(options);
      const key = await around.privateKey(options);
      const wallet = privateKeyWallet(key);
      const { address } = wallet;
      try {
        const depositor = await Depositor.connect({
          rpc,
          chainId: settings.settlement_chain_id,
          bridge: settings.bridge2_contract_address,
          token: settings.usdc_contract_address,
        });
        const held = await depositor.holding(address);
        const has = `${address} has ${formatMoney(held.microUsdc)} USDC on chain ${settings.settlement_chain_id}`;
        if (held.microUsdc < amount)
          throw new CliError(
            'refused',
            `${has}, less than the amount to deposit. Nothing was sent.`,
          );
        say(has);
        let txHash: string;
        if (options.transfer === true) {
          txHash = await depositor.transfer(amount, { key, waitMs, print: say });
        } else {
          const deadline = Math.floor(Date.now() / 1_000) + PERMIT_SECONDS;
          const { name, nonce, version } = held;
          const terms = { settings, usd: Number(amount), nonce, deadline, name, version };
          const permit = await signPermit(wallet, terms);
          say(
            `Signed a permit for ${formatMoney(amount)} USDC to ${settings.bridge2_contract_address}`,
          );
          ({ txHash } = await info.depositWithPermit(permit));
          say(`The venue submitted the permit: ${txHash}`);
        }
        say('Waiting for the deposit to be credited');
        await credited(info, { user: address, txHash, waitMs });
        const line = `Credited ${formatMoney(amount)} USDC to ${address}`;
        print(
          { json: { user: address, amount: formatMoney(amount), txHash }, lines: [line] },
          options.json,
        );
      } catch (error) {
        if (!(error instanceof DepositError)) throw error;
        const kind = error.isSilent ? 'unreachable' : 'refused';
        throw new CliError(kind, error.message, { cause: error });
      }
    });
}

function amountOf(text: string, min: string): bigint {
  const amount = parseExact(text, USDC_DECIMALS);
  if (amount === undefined || amount <= 0n || amount > BigInt(Number.MAX_SAFE_INTEGER)) {
    const expected = `Use a USDC amount with at most ${USDC_DECIMALS} decimal places.`;
    throw new CliError('usage', `Invalid <amount> "${text}". ${expected}`);
  }
  if (amount >= BigInt(min)) return amount;
  throw new CliError(
    'usage',
    `Invalid <amount> ${text}. The minimum deposit is ${formatMoney(BigInt(min))} USDC.`,
  );
}

function endpointOf(
  { rpc }: DepositOptions,
  settings: Awaited<ReturnType<Client['info']['settings']>>,
): string {
  if (settings.bridge2_contract_address === NO_ADDRESS) {
    throw new CliError(
      'refused',
      'This venue has no settlement chain. It does not accept deposits.',
    );
  }
  const url = rpc ?? settings.settlement_rpc_url;
  if (url === null) {
    const chain = settings.settlement_chain_id;
    throw new CliError(
      'usage',
      `The venue does not publish an endpoint for chain ${chain}. Pass one with --rpc.`,
    );
  }
  if (!URL.canParse(url)) throw new CliError('usage', `Invalid --rpc "${url}". Use a URL.`);
  return url;
}

/** Waits for the ledger row that has the transaction's hash. */
async function credited(
  info: Client['info'],
  {
    txHash,
    user,
    waitMs,
  }: { readonly user: string; readonly txHash: string; readonly waitMs: number },
): Promise<void> {
  const untilMs = performance.now() + waitMs;
  while (performance.now() < untilMs) {
    const rows = await info.userNonFundingLedgerUpdates({ user });
    if (rows.some(({ delta, hash }) => delta.type === 'deposit' && hash === txHash)) return;
    await later(LOOK_MS);
  }
  const how = 'It will be credited after enough confirmations; check with `oddlot export ledger`.';
  throw new CliError(
    'part',
    `The bridge received the deposit (${txHash}), but it is not credited yet. ${how}`,
    {
      facts: { txHash },
    },
  );
}

type SubAccount = 'perp' | 'outcome';

const SUB_ACCOUNTS = ['perp', 'outcome'] as const;
const AMOUNT = ['<amount>', 'a USDC amount with at most 6 decimal places'] as const;

/** Adds transfers between sub-accounts, which the account's own key signs. */
export function addTransfers(program: Command, around: CommandContext): void {
  const transfer = program
    .command('transfer')
    .summary('Move USDC between your perp and outcome sub-accounts')
    .argument('<amount>', 'Amount of USDC')
    .addOption(
      new Option('--to <sub-account>', 'Sub-account to credit; the other one is debited')
        .choices(SUB_ACCOUNTS)
        .makeOptionMandatory(),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  oddlot transfer 100 --to outcome\n  oddlot transfer 100 --to perp',
    )
    .action(async (amount: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { to: SubAccount }>();
      const { to } = options;
      const from = to === 'perp' ? 'outcome' : 'perp';
      const client = await around.accountSigner(options);
      const reply = await client.exchange.transferBetween({ from, to, amount }, CONFIRM);
      printReply(reply, `Moved ${amount} USDC from ${from} to ${to}`, options);
    });
  const send = program
    .command('send')
    .summary('Send USDC to another account on the venue')
    .argument('<amount>', 'Amount of USDC')
    .argument('<address>', "Recipient's account address")
    .addOption(
      new Option('--from <sub-account>', 'Your sub-account to debit')
        .choices(SUB_ACCOUNTS)
        .default('perp'),
    )
    .addOption(
      new Option('--to <sub-account>', "Recipient's sub-account to credit")
        .choices(SUB_ACCOUNTS)
        .default('perp'),
    )
    .addHelpText('after', `\nExample:\n  oddlot send 25 0x${'ab'.repeat(20)}`)
    .action(async (amount: string, destination: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<
        GlobalOptions & { from: SubAccount; to: SubAccount }
      >();
      const { from, to } = options;
      const client = await around.accountSigner(options);
      const reply = await client.exchange.sendTo({ destination, amount, from, to }, CONFIRM);
      printReply(reply, `Sent ${amount} USDC to ${destination}`, options);
    });
  nameFields(transfer, { amount: AMOUNT });
  nameFields(send, { amount: AMOUNT, destination: ['<address>', '0x followed by 40 hex digits'] });
}
