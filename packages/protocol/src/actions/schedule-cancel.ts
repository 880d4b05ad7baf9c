import * as z from 'zod';
import { Ms } from '../primitives.ts';
import { defineAction } from './define-action.ts';

/** A dead man's switch: cancels the account's orders at a time unless it is moved or removed. */
export const scheduleCancel = defineAction({
  type: 'scheduleCancel',
  internalName: 'ScheduleCancel',
  signedBy: 'agent',
  schema: z.object({ type: z.literal('scheduleCancel'), time: Ms.optional() }),
});
