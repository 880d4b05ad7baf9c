import { checkJson, jsonRefusal, type ResumePoint, type ScanFault } from '@oddlot/protocol';
import type { WsError } from './ws-error.ts';

/** What a client says on /ws and /api-ws. */
export type Control = {
  readonly method: string;
  readonly frame: Readonly<Record<string, unknown>>;
};

export const INVALID_FRAME: WsError = {
  code: 'INVALID_FRAME',
  message: 'A frame is a JSON object with method subscribe, unsubscribe or ping',
};

export const INVALID_RESUME: WsError = {
  code: 'INVALID_PARAMS',
  message: 'resumeFrom is { epoch, seq } or { height }; seq and height are whole numbers from 0 on',
};

export function readControl(text: string): Control | WsError {
  const checked = checkJson(text);
  if (!checked.ok) return unreadable(text, checked);
  const frame: unknown = JSON.parse(text);
  if (!isRecord(frame) || typeof frame['method'] !== 'string') return INVALID_FRAME;
  return { method: frame['method'], frame };
}

/** JSON that the interface does not take is told what is wrong with it. */
function unreadable(text: string, fault: ScanFault): WsError {
  const { message } = jsonRefusal(text, fault);
  const isJson = !message.startsWith('Malformed');
  return isJson ? { code: 'INVALID_FRAME', message } : INVALID_FRAME;
}

/** The place of a client in a stream, or a block of the venue. */
export function readResumeFrom(value: unknown): ResumePoint | undefined | 'invalid' {
  if (value === undefined || value === null) return undefined;
  if (!isRecord(value)) return 'invalid';
  const { epoch, height, seq } = value;
  if (height !== undefined) {
    // Two places are none: nobody could tell which one was meant.
    const isAlone = epoch === undefined && seq === undefined;
    return isAlone && isCount(height) ? { height } : 'invalid';
  }
  return typeof epoch === 'string' && isCount(seq) ? { epoch, seq } : 'invalid';
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
