import { useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Button, type ButtonKind } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Chip } from '../../ui/chip.tsx';
import { Dialog, Sheet } from '../../ui/dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Slider } from '../../ui/slider.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { notify } from '../../ui/toast.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';
import { Group } from './group.tsx';

const KINDS: readonly ButtonKind[] = ['plain', 'quiet', 'accent', 'buy', 'sell', 'danger'];

export function Controls() {
  return (
    <>
      <Group title="Button">
        {KINDS.map((kind) => (
          <Button key={kind} kind={kind}>
            {kind}
          </Button>
        ))}
        <Button size="small">small</Button>
        <Button kind="buy" size="large">
          Buy 0.0140 BTC at 96,926.5
        </Button>
        <Button isBusy>busy</Button>
        <Button disabled>disabled</Button>
      </Group>
      <Group title="Chip, Badge">
        <Chip>Cross</Chip>
        <Chip isOn>20×</Chip>
        <Chip disabled>One-way</Chip>
        <Badge>testnet</Badge>
        <Badge tone="accent">accent</Badge>
        <Badge tone="warning">halted</Badge>
        <Badge tone="buy">long</Badge>
        <Badge tone="sell">short</Badge>
      </Group>
      <Fields />
      <Layers />
    </>
  );
}

function Fields() {
  const [price, setPrice] = useState('96926.5');
  const [name, setName] = useState('');
  const [side, setSide] = useState<'buy' | 'sell'>('buy');
  const [share, setShare] = useState(40);
  const [isOn, setIsOn] = useState(true);
  return (
    <Group title="Fields">
      <div className="w-72">
        <NumberField label="Price" value={price} onChange={setPrice} step="0.1" unit="USDC" />
      </div>
      <div className="w-72">
        <NumberField
          label="Size"
          value="0.01"
          onChange={() => undefined}
          unit="BTC"
          fault="The smallest order is 10 USDC."
        />
      </div>
      <div className="w-72">
        <NumberField
          label="Price"
          value=""
          placeholder="0.0"
          onChange={() => undefined}
          isDisabled
        />
      </div>
      <div className="w-72">
        <TextField label="Agent name" value={name} onChange={setName} placeholder="bot" />
      </div>
      <div className="w-72">
        <Segmented
          label="Side"
          value={side}
          onChange={setSide}
          segments={[
            { value: 'buy', label: 'Buy / long', tone: 'buy' },
            { value: 'sell', label: 'Sell / short', tone: 'sell' },
          ]}
        />
      </div>
      <div className="w-72">
        <Slider label="% of max" value={share} onChange={setShare} />
      </div>
      <Checkbox label="Reduce only" isOn={isOn} onChange={setIsOn} />
      <Checkbox label="Post only" isOn={false} onChange={() => undefined} isDisabled />
    </Group>
  );
}

function Layers() {
  const [shown, setShown] = useState<'dialog' | 'sheet' | undefined>();
  const [tab, setTab] = useState<'positions' | 'orders'>('positions');
  const close = (): void => setShown(undefined);
  return (
    <Group title="Layers">
      <Button onClick={() => setShown('dialog')}>Dialog</Button>
      <Button onClick={() => setShown('sheet')}>Sheet</Button>
      <Menu
        trigger={<Button>Menu</Button>}
        items={[
          { kind: 'title', label: 'Tick' },
          { label: '0.1', isChosen: true, onSelect: () => undefined },
          { label: '1', onSelect: () => undefined },
          { kind: 'line' },
          { label: 'Cancel all', isDanger: true, onSelect: () => undefined },
          { label: 'Not now', isDisabled: true, onSelect: () => undefined },
        ]}
      />
      <Tooltip text="longs pay shorts">
        <Button kind="quiet">Tooltip</Button>
      </Tooltip>
      <div className="h-24 w-full border border-line">
        <Tabs
          label="Tables"
          value={tab}
          onChange={setTab}
          tabs={[
            {
              value: 'positions',
              label: 'Positions',
              count: 2,
              content: <p className="p-3">Two</p>,
            },
            { value: 'orders', label: 'Open orders', content: <p className="p-3">None</p> },
          ]}
        />
      </div>
      <Dialog
        title="Leverage"
        description="How much of the value you put up."
        isOpen={shown === 'dialog'}
        onClose={close}
      >
        <Button kind="accent" isWide onClick={close}>
          Set 20×
        </Button>
      </Dialog>
      <Sheet title="Order" isOpen={shown === 'sheet'} onClose={close}>
        <p className="mb-4">A ticket on a phone.</p>
        <Button isWide onClick={() => notify({ title: 'Sold 0.014 BTC', tone: 'sell' })}>
          Send it
        </Button>
      </Sheet>
    </Group>
  );
}
