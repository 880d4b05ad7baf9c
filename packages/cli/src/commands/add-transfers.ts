import { type Command, Option } from 'commander';
import type { GlobalOptions, Surroundings } from '../surroundings.ts';
import { nameFields } from '../named-fields.ts';
import { CONFIRM, tellReply } from '../tell-reply.ts';

type SubAccount = 'perp' | 'outcome';

const SUB_ACCOUNTS = ['perp', 'outcome'] as const;
const AMOUNT = ['<amount>', 'a USDC amount with at most 6 decimal places'] as const;

/** Free money from one sub-account to another, signed by the account's own key. */
export function addTransfers(program: Command, around: Surroundings): void {
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
      tellReply(reply, `Moved ${amount} USDC from ${from} to ${to}`, options);
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
      tellReply(reply, `Sent ${amount} USDC to ${destination}`, options);
    });
  nameFields(transfer, { amount: AMOUNT });
  nameFields(send, { amount: AMOUNT, destination: ['<address>', '0x followed by 40 hex digits'] });
}
