import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { findInstrument } from '../find-instrument.ts';
import { nameFields } from '../named-fields.ts';
import type { GlobalOptions, Surroundings } from '../surroundings.ts';
import { CONFIRM, executed, tellOrders, tellReply } from '../tell-reply.ts';
import { wholeNumber } from '../whole-number.ts';

type AmendOptions = GlobalOptions & { readonly price?: string; readonly size?: string };

const SECOND_MS = 1_000;
/** The venue requires 5 s when it executes the action; the rest is for the way there. */
const SECONDS_MIN = 10;

/** Changes to orders that are open. */
export function addAmends(program: Command, around: Surroundings): void {
  addAmend(program, around);
  addScheduleCancel(program, around);
}

function addAmend(program: Command, around: Surroundings): void {
  const amend = program
    .command('amend')
    .summary('Change the price or size of an open order')
    .description(
      'Changes the price, the size or both of an open order. The order keeps its id ' +
        'and, if the price does not change, its place in the queue. Trigger orders ' +
        'cannot be amended: cancel and place them again.',
    )
    .argument('<instrument>', 'A perp such as BTC, or the slug or id of an outcome market')
    .argument('<order-id>', 'Order id, as shown by `oddlot orders`')
    .option('--price <price>', 'New limit price (default: unchanged)')
    .option('--size <size>', 'New total size, including the filled part (default: unchanged)')
    .addHelpText(
      'after',
      '\nExamples:\n  oddlot amend BTC 1234 --price 98000\n  oddlot amend BTC 1234 --size 0.02',
    )
    .action(async (name: string, id: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<AmendOptions>();
      const o = wholeNumber('<order-id>', id);
      const { price, size } = options;
      if (price === undefined && size === undefined) {
        throw new CliError('usage', 'Nothing to change. Use --price, --size or both.');
      }
      const client = await around.signer(options);
      const { id: a, name: found } = await findInstrument(client, name);
      const { user } = await around.tradedAccount(options);
      const { info } = client;
      const [perps, outcomes] = await Promise.all([
        info.frontendOpenOrders({ user }),
        info.outcomeFrontendOpenOrders({ user }),
      ]);
      const order = [...perps, ...outcomes].find(
        ({ instrumentId, oid }) => oid === o && instrumentId === a,
      );
      if (order === undefined) {
        throw new CliError('refused', `No open order ${id} on ${found}`);
      }
      const changed = { a, o, p: price ?? order.limitPx, s: size ?? order.origSz };
      const reply = await client.exchange.modify2(changed, CONFIRM);
      tellOrders(executed(reply), found, options);
    });
  nameFields(amend, {
    p: ['--price', 'a decimal number'],
    s: ['--size', 'a decimal number'],
  });
}

function addScheduleCancel(program: Command, around: Surroundings): void {
  program
    .command('schedule-cancel')
    .summary("Cancel all orders after a delay unless renewed (dead man's switch)")
    .description(
      'Cancels all orders after the given number of seconds unless you run the command ' +
        'again before then. Reduce-only trigger orders are kept because they protect ' +
        'positions.',
    )
    .argument('[seconds]', 'Seconds until cancellation (at least 10)')
    .option('--off', 'Remove the scheduled cancellation')
    .addHelpText(
      'after',
      '\nExamples:\n  oddlot schedule-cancel 60\n  oddlot schedule-cancel --off',
    )
    .action(async (text: string | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { off?: boolean }>();
      const { off } = options;
      if ((text === undefined) !== (off === true)) {
        throw new CliError('usage', 'Use either [seconds] or --off.');
      }
      const seconds = text === undefined ? undefined : wholeNumber('[seconds]', text);
      if (seconds !== undefined && seconds < SECONDS_MIN) {
        throw new CliError('usage', `Invalid [seconds] "${text}". Use ${SECONDS_MIN} or more.`);
      }
      const client = await around.signer(options);
      if (seconds === undefined) {
        const reply = await client.exchange.scheduleCancel({}, CONFIRM);
        return tellReply(reply, 'Scheduled cancellation removed', options);
      }
      // By the clock of the venue: that of this machine may differ.
      const time = (await client.info.venueStatus()).time + seconds * SECOND_MS;
      const reply = await client.exchange.scheduleCancel({ time }, CONFIRM);
      const at = new Date(time).toISOString();
      return tellReply(reply, `All orders will be cancelled at ${at}`, options);
    });
}
