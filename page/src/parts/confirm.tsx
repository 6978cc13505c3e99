import { Button, Modal } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useMayChange, VIEWER_HINT } from '../api/access';
import { messageOf } from './states';

interface ConfirmProps {
  readonly label: string;
  /** The accessible name of the button, which screen readers read; the label if absent. */
  readonly name?: string;
  /** Explains the action before it is confirmed. */
  readonly children: ReactNode;
  readonly confirmLabel: string;
  readonly act: () => Promise<unknown>;
  readonly icon?: ReactNode;
  readonly disabled?: boolean;
  readonly isSmall?: boolean;
  /** The action is advised against, so the button that cancels is emphasized. */
  readonly isAdvisedAgainst?: boolean;
  /** This button is the main action of its place. */
  readonly isPrimary?: boolean;
  /** The action cannot be confirmed; the dialog says why. */
  readonly isImpossible?: boolean;
  readonly onOpen?: () => void;
  /** One of many such buttons, drawn without a frame so that they do not hide the text next to them. */
  readonly isQuiet?: boolean;
}

/** A button for an action with consequences: a dialog explains the action, and runs it after confirmation. */
export function Confirm({
  label,
  name = label,
  children,
  confirmLabel,
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
  const confirm = async (): Promise<void> => {
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
              onClick={() => void confirm()}
            >
              {confirmLabel}
            </Button>
            <Button variant={isAdvisedAgainst ? 'filled' : 'default'} onClick={close}>
              Cancel
            </Button>
          </div>
        </div>
      </Modal>
    </>
  );
}
