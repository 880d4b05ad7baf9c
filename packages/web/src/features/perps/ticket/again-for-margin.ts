import { ApiError, type ActionReply } from '@oddlot/sdk';

const MARGIN = 'MARGIN';

/** Sends once more what was rejected for lack of margin. */
export async function againForMargin(send: () => Promise<ActionReply>): Promise<ActionReply> {
  try {
    const reply = await send();
    const isShort = reply.status === 'executed' && reply.failure?.name === MARGIN;
    return isShort ? await send() : reply;
  } catch (error) {
    if (!(error instanceof ApiError) || error.name !== MARGIN) throw error;
    return send();
  }
}
