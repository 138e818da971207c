import { Button, Group, Modal, Text } from '@mantine/core';
import * as t from '@propusk/phrases/console';

/** Shows the contact for a paid proxy. */
export function PaidDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title={t.proxies.paidTitle} size={440}>
      <Text>{t.proxies.paidText}</Text>
      <Group justify="flex-end" mt="lg">
        <Button onClick={onClose} data-autofocus>
          {t.proxies.paidClose}
        </Button>
      </Group>
    </Modal>
  );
}
