import '@mantine/core/styles.css';
import {
  ActionIcon,
  AppShell,
  Badge,
  Button,
  Group,
  MantineProvider,
  Menu,
  NavLink,
  Pagination,
  Select,
  Table,
  TextInput,
  Title,
} from '@mantine/core';
import { createRoot } from 'react-dom/client';

/**
 * The list of sites with a hundred rows and menus, from Mantine's own components. The rows are in the code.
 */
const rows = Array.from({ length: 100 }, (_, i) => ({
  id: i + 1,
  address: `s${i + 1}.bench.test`,
  policies: ['Policy 1', 'Policy 2', 'Policy 3'],
  day: '22 ноября 2026 г., 10:00',
}));
const sections = ['Разрешённые домены', 'Прокси-серверы', 'Политики доступа', 'Пользователи', 'Компания'];

function Sites() {
  return (
    <AppShell header={{ height: 56 }} navbar={{ width: 260, breakpoint: 'sm' }} padding="md">
      <AppShell.Header>
        <Title order={3}>Пропуск</Title>
      </AppShell.Header>
      <AppShell.Navbar>
        {sections.map((label) => (
          <NavLink key={label} label={label} href="#" />
        ))}
      </AppShell.Navbar>
      <AppShell.Main>
        <Group justify="space-between">
          <Title>Разрешённые домены</Title>
          <Group>
            <TextInput placeholder="Поиск" />
            <Button>Добавить</Button>
          </Group>
        </Group>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Адрес</Table.Th>
              <Table.Th>Защита</Table.Th>
              <Table.Th>Политики</Table.Th>
              <Table.Th>Создан</Table.Th>
              <Table.Th>Изменён</Table.Th>
              <Table.Th />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>{rows.map(Row)}</Table.Tbody>
        </Table>
        <Group>
          <Select data={['10', '20', '50', '100']} defaultValue="100" />
          <Pagination total={1} />
        </Group>
      </AppShell.Main>
    </AppShell>
  );
}

function Row({ id, address, policies, day }: (typeof rows)[number]) {
  return (
    <Table.Tr key={id}>
      <Table.Td>{address}</Table.Td>
      <Table.Td>
        <Button variant="subtle">Не проверен</Button>
      </Table.Td>
      <Table.Td>
        {policies.map((name) => (
          <Badge key={name}>{name}</Badge>
        ))}
      </Table.Td>
      <Table.Td>{day}</Table.Td>
      <Table.Td>{day}</Table.Td>
      <Table.Td>
        <Menu>
          <Menu.Target>
            <ActionIcon variant="subtle" aria-label={`Действия: ${address}`}>
              ⋮
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item>Изменить</Menu.Item>
            <Menu.Item>Удалить</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Table.Td>
    </Table.Tr>
  );
}

createRoot(document.body.appendChild(document.createElement('div'))).render(
  <MantineProvider>
    <Sites />
  </MantineProvider>,
);
