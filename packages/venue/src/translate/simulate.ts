import { agentOwner, isSigned, simulateCommand, type SignedCommand } from '@oddlot/engine';
import {
  ACTIONS,
  checkBinding,
  checkVaultAllowed,
  parseAction,
  refusal,
  type InfoQueryOf,
  type Network,
  type SimulatedAction,
  type Warning,
  type WireError,
} from '@oddlot/protocol';
import { assert, hash, type Address } from '@oddlot/units';
import { actionToCommand, instrumentLookup, type InstrumentLookup } from './action-to-command.ts';
import { refuseUnsupported, type PlainAction } from './refuse-unsupported.ts';
import { refuseWithoutChain } from './refuse-without-chain.ts';
import { agentWarning } from './info/agent-warning.ts';
import { answer, type InfoContext, type InfoHandler } from './info/handler.ts';
import { endedBy } from './outcome/ended-order.ts';
import { errorBody, outcomeToWire } from './outcome-to-wire.ts';
import { actionTexts } from './request-texts.ts';
import { accountAfter, positionsAfter } from './simulate-account.ts';
import { simulatedOrders } from './simulated-orders.ts';

/**
 * What an unsigned action would do now. It is read, translated, admitted and executed as one that
 * came to /exchange. Only the signature is missing: the account that is named acts.
 */

type Query = InfoQueryOf<'simulate'>;

/** Direct kinds that can be simulated beside all that agents sign. */
const DIRECT_KINDS: readonly string[] = ['tokenSend', 'withdraw3'];

const NO_HASH = hash(`0x${'0'.repeat(64)}`);
const HTTP_BAD_REQUEST = 400;

export const simulate: InfoHandler<'simulate', SimulatedAction> = (context, query) => {
  const understood = understand(context.network, query);
  if ('action' in understood) return answer(simulated(context, query, understood.action));
  return isQueryFault(understood)
    ? { ok: false, error: understood }
    : answer(refused(context, query, understood));
};

/** Reads the action as /exchange does, or says what it would answer to its text alone. */
function understand(
  network: Network,
  { action: sent, vaultAddress }: Query,
): { readonly action: PlainAction } | WireError {
  const { type } = sent;
  if (typeof type === 'string' && !isKind(type)) return notAllowed(type);
  const parsed = parseAction(isDirect(type) ? bound(sent, network) : sent);
  if (!parsed.ok) return parsed.error;
  const { action } = parsed;
  if (action.type === 'multiSig') return notAllowed(action.type);
  const envelope = { nonce: nonceOf(action), vaultAddress };
  const fault =
    checkBinding(action, envelope, network) ??
    checkVaultAllowed(action, envelope) ??
    refuseUnsupported(action);
  return fault ?? { action };
}

function isKind(type: string): boolean {
  if (isDirect(type)) return true;
  return Object.hasOwn(ACTIONS, type) && ACTIONS[type as keyof typeof ACTIONS].signedBy === 'agent';
}

function isDirect(type: unknown): boolean {
  return typeof type === 'string' && DIRECT_KINDS.includes(type);
}

function notAllowed(type: string): WireError {
  return refusal('notAllowed', [], { field: 'action.type', got: type });
}

/** What ties a direct action to a network and a nonce may be left out: nobody signs it. */
function bound(action: object, network: Network): object {
  const { apiVersion, chainId, serviceNetwork } = network;
  return { serviceNetwork, chainId, apiVersion, nonce: 0, ...action };
}

function nonceOf(action: PlainAction): number {
  return 'nonce' in action ? action.nonce : 0;
}

/** A query that cannot be read, or asks for what is not simulated; anything else is an answer. */
function isQueryFault({ httpStatus, name }: WireError): boolean {
  return httpStatus === HTTP_BAD_REQUEST || name === 'NOT_ALLOWED';
}

function simulated(context: InfoContext, query: Query, action: PlainAction): SimulatedAction {
  const { state } = context;
  const user = actorOf(context, query);
  const instruments = instrumentLookup(() => state);
  const command = commandOf(action, user, query, instruments);
  const { after, events, isAdmitted, isCut, outcome } = simulateCommand(state, user, command);
  const texts = actionTexts(action);
  const ended = endedBy(events, context.ended);
  const unpayable = isAdmitted ? refuseWithoutChain(command, context.settings.hasChain) : undefined;
  if (unpayable !== undefined) return refused(context, query, unpayable);
  const wire = outcomeToWire(command, outcome, { instruments, texts, events, ended });
  const address = outcome.account ?? user;
  const done = { command, outcome, events, address, before: state, after };
  return {
    height: state.height,
    time: state.timeMs,
    // What is refused at its execution was accepted before, as /exchange tells it.
    accepted: isAdmitted,
    error: wire.error,
    orders: isAdmitted ? simulatedOrders(wire.result.orders ?? [], done) : [],
    ...accountAfter(after, address),
    positions: isAdmitted ? positionsAfter(done) : [],
    warnings: [...warningsFor(context, query), ...wire.warnings, ...cutWarnings(isCut)],
  };
}

/** An action that is refused before the engine sees it. */
function refused(context: InfoContext, query: Query, error: WireError): SimulatedAction {
  const { state } = context;
  return {
    height: state.height,
    time: state.timeMs,
    accepted: false,
    error: errorBody(error),
    orders: [],
    ...accountAfter(state, actorOf(context, query)),
    positions: [],
    warnings: warningsFor(context, query),
  };
}

/** An agent's address stands for its owner's. */
function actorOf({ state }: InfoContext, { user }: Query): Address {
  return agentOwner(state, user)?.owner ?? user;
}

function commandOf(
  action: PlainAction,
  signer: Address,
  { vaultAddress }: Query,
  instruments: InstrumentLookup,
): SignedCommand {
  const authority = { signer, nonce: nonceOf(action), txHash: NO_HASH };
  const vault = typeof vaultAddress === 'string' ? { vault: vaultAddress } : {};
  const command = actionToCommand(action, { ...authority, ...vault }, instruments);
  assert(isSigned(command), 'what agents and accounts sign is their command');
  return command;
}

function cutWarnings(isCut: true | undefined): Warning[] {
  if (isCut === undefined) return [];
  const message = 'It would match more resting orders than a simulation checks';
  return [{ code: 'SIMULATION_CUT', message }];
}

function warningsFor(context: InfoContext, query: Query): Warning[] {
  const warning = agentWarning(context, query);
  return warning === undefined ? [] : [warning];
}
