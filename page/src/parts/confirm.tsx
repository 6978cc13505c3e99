import { Button, Modal } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useMayChange, VIEWER_HINT } from '../api/access';
import { messageOf } from './states';

interface ConfirmProps {
  readonly label: string;
  /** What it is said to be to who does not see where it stands; the label where absent. */
  readonly name?: string;
  /** What it does, before it is done. */
  readonly children: ReactNode;
  readonly yes: string;
  readonly act: () => Promise<unknown>;
  readonly icon?: ReactNode;
  readonly disabled?: boolean;
  readonly isSmall?: boolean;
  /** It is advised against: the other button is the one that stands out. */
  readonly isAdvisedAgainst?: boolean;
  /** What the button is for here, and all else beside it is not. */
  readonly isPrimary?: boolean;
  /** The dialog says why. */
  readonly isImpossible?: boolean;
  readonly onOpen?: () => void;
  /** One of so many that their frames would be louder than what they stand beside. */
  readonly isQuiet?: boolean;
}

/** A button for what cannot simply be clicked away: it says what it will do, and does it after a yes. */
export function Confirm({
  label,
  name = label,
  children,
  yes,
  act,
  icon,
  disabled = false,
  isSmall = false,
  isQuiet = false,
  isAdvisedAgainst = false,
  isPrimary = false,
  isImpossible = false,
  onOpen,
}: ConfirmProps) {
  const mayChange = useMayChange();
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const close = (): void => {
    setOpen(false);
    setFault(undefined);
  };
  const agreed = async (): Promise<void> => {
    setBusy(true);
    try {
      await act();
      close();
    } catch (error) {
      setFault(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button
        variant={isPrimary ? 'filled' : isQuiet ? 'subtle' : 'default'}
        size={isSmall ? 'compact-xs' : 'xs'}
        leftSection={icon}
        disabled={disabled || !mayChange}
        {...(!mayChange && { title: VIEWER_HINT })}
        aria-label={name}
        onClick={() => {
          onOpen?.();
          setOpen(true);
        }}
      >
        {label}
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={<b>{label}</b>}
        centered
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <div className="stack">
          <div>{children}</div>
          {fault !== undefined && (
            <p className="bad" role="alert">
              {fault}
            </p>
          )}
          <div className="line">
            <Button
              variant={isAdvisedAgainst ? 'default' : 'filled'}
              loading={isBusy}
              disabled={isImpossible}
              onClick={() => void agreed()}
            >
              {yes}
            </Button>
            <Button variant={isAdvisedAgainst ? 'filled' : 'default'} onClick={close}>
              Leave it
            </Button>
          </div>
        </div>
      </Modal>
    </>
  );
}
