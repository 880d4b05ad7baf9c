import { present } from '@oddlot/units';
import { isAddressTaken } from '../auth/agents.ts';
import { type Actor, actingFor } from '../auth/authorize.ts';
import { type Command, isSigned, type SignedCommand } from '../messages/command.ts';
import type { State } from '../state/state.ts';
import { type BlockClass, REST, type SignedRules } from './command-row.ts';
import { signedRules } from './commands.ts';

export type CommandOrder = {
  /** The indexes of the commands by class, each in order of arrival. */
  readonly classes: readonly [
    operator: readonly number[],
    passive: readonly number[],
    cancels: readonly number[],
    rest: readonly number[],
  ];
  /**
   * The account for which each command acts, by command index. It is an address if the account is
   * not open yet, and undefined for unsigned commands.
   */
  readonly acting: readonly (Actor | undefined)[];
  /** The value of `keyChanges` when the actors were determined. */
  readonly keyChanges: number;
};

/**
 * Orders the commands of a block (R-block): operator commands first, then commands that cannot take
 * liquidity, then cancels, and finally all others. Makers can therefore act before takers reach
 * their orders. Within a block, a command never overtakes an earlier command of the same acting
 * account, because its class is raised to at least that of the earlier command.
 */
export function orderCommands(state: State, commands: readonly Command[]): CommandOrder {
  const classes: [number[], number[], number[], number[]] = [[], [], [], []];
  const actors: (Actor | undefined)[] = [];
  const reached = new Map<Actor, number>();
  /**
   * The owners of the agents that this block approves; only the first approval of an agent counts.
   */
  const bound = new Map<Actor, Actor>();
  for (let index = 0; index < commands.length; index++) {
    const command = present(commands[index], 'a command of the block');
    if (!isSigned(command)) {
      classes[0].push(index);
      actors.push(undefined);
      continue;
    }
    const rules = signedRules(command);
    const acting = actingFor(state, command, rules);
    actors.push(acting);
    const actor = bound.size === 0 ? acting : (bound.get(acting) ?? acting);
    const own = classOf(state, command, rules, actor);
    // The last class cannot be raised any further, so the account's current class is not looked up.
    const rank = own === REST ? own : Math.max(own, reached.get(actor) ?? 0);
    reached.set(actor, rank);
    classes[rank]?.push(index);
    if (command.type !== 'approveAgent') continue;
    // An approval that will fail must not delay commands from the address it would bind.
    const { agent } = command;
    if (!bound.has(agent) && !isAddressTaken(state, agent)) bound.set(agent, actor);
  }
  return { classes, acting: actors, keyChanges: state.keyChanges };
}

function classOf(
  state: State,
  command: SignedCommand,
  rules: SignedRules,
  actor: Actor,
): BlockClass {
  if (typeof rules.class !== 'function') return rules.class;
  return rules.class(state, command, typeof actor === 'string' ? undefined : actor);
}
