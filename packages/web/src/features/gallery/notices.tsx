import { ApiError, HttpError } from '@oddlot/sdk';
import { Button } from '../../ui/button.tsx';
import { ErrorSentence } from '../../ui/error-sentence.tsx';
import { notify } from '../../ui/toast.tsx';
import { Group } from './group.tsx';

const OFF_TICK = new ApiError({
  code: 10_000,
  name: 'INVALID',
  message: 'Price precision does not match the tick size: 0.1',
  details: { field: 'orders[0].p', nearest: ['96926.5', '96926.6'], docs: '/docs/errors#INVALID' },
  httpStatus: 200,
  response: {},
});
const TOO_LITTLE = new ApiError({
  code: 10_010,
  name: 'MARGIN',
  message: 'Insufficient margin',
  details: { required: '67.85', available: '12.4', docs: '/docs/errors#MARGIN' },
  httpStatus: 200,
  response: {},
});
const LIMITED = new ApiError({
  code: 10_029,
  name: 'RATE_LIMITED',
  message: 'Too many requests',
  httpStatus: 429,
  retryAfterMs: 2_000,
  response: {},
});
const ERRORS = [OFF_TICK, TOO_LITTLE, LIMITED, new HttpError('No answer')];

export function Notices() {
  return (
    <Group title="Notices">
      {ERRORS.map((error) => (
        <div key={error.message} className="w-80">
          <ErrorSentence error={error} onRemedy={() => () => undefined} />
        </div>
      ))}
      <Button
        onClick={() => notify({ title: 'Bought 0.014 BTC', text: 'at 96,926.5', tone: 'buy' })}
      >
        Toast
      </Button>
      <Button
        onClick={() => notify({ title: 'Liquidated', text: 'BTC-USDC at 91,204.0', tone: 'sell' })}
      >
        Toast of a loss
      </Button>
    </Group>
  );
}
