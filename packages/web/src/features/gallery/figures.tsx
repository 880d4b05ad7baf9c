import { chance, cents, compact } from '../../lib/format.ts';
import { countdown } from '../../lib/time.ts';
import { Code } from '../../ui/code.tsx';
import { Money, Percent, Price } from '../../ui/figure.tsx';
import { Spark } from '../../ui/spark.tsx';
import { Skeleton, Spinner } from '../../ui/spinner.tsx';
import { Group } from './group.tsx';

const RISING = [3, 4, 3.5, 5, 6, 5.5, 7, 8];

export function Figures() {
  return (
    <Group title="Figures">
      <Price value="96961.2" decimals={1} hasFlash />
      <Price value={undefined} />
      <Money value="1042.18" />
      <Money value="-2.42" isSigned isColoured />
      <Money value="17.09" isSigned isColoured />
      <Money value="0.000001" />
      <Money value="123456789012.34" />
      <Percent value="0.0184" />
      <Percent value="-0.338" decimals={1} />
      <Percent value="0" />
      <span>{compact('184200000')}</span>
      <span>{chance('0.463')}</span>
      <span>{chance('0.001')}</span>
      <span>{cents('0.463')}</span>
      <span>{countdown(1_421_000)}</span>
      <Spark label="rising" values={RISING} />
      <Spark label="falling" values={RISING.toReversed()} />
      <Spark label="too short" values={[1]} />
      <Spinner />
      <Skeleton width="12ch" />
      <Code>0x3ddf6345b552870f36ae1eb1f4eeee0895e57f98</Code>
    </Group>
  );
}
