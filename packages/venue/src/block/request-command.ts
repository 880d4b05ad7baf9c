import {
  isSigned,
  type Authority,
  type Command,
  type OperatorCommand,
  type SignedCommand,
} from '@oddlot/engine';

/** A command of the operator that came over the wire, and so carries a signature. */
export type SignedOperatorCommand = OperatorCommand & { readonly operator: Authority };

/** A command that somebody sent to /exchange: it has a signature, a nonce and a receipt. */
export type RequestCommand = SignedCommand | SignedOperatorCommand;

/** True for commands that came as requests; the process makes others by itself. */
export function isRequest(command: Command): command is RequestCommand {
  return isSigned(command) || ('operator' in command && command.operator !== undefined);
}

/** Who sent a request, and what makes it unique. */
export function authorityOf(command: RequestCommand): Authority {
  return isSigned(command) ? command.authority : command.operator;
}
