import '@mantine/core/styles.css';
import {
  Anchor,
  Button,
  Container,
  MantineProvider,
  Paper,
  PasswordInput,
  TextInput,
  Title,
} from '@mantine/core';
import { createRoot } from 'react-dom/client';

/** The sign-in page as in Mantine's own examples, without a server. */
function Login() {
  return (
    <Container size={420} my={40}>
      <Title>Вход</Title>
      <Paper withBorder p={24} mt={24} component="form">
        <TextInput label="Почта" placeholder="name@company.ru" required autoFocus />
        <PasswordInput label="Пароль" required mt="md" />
        <Button fullWidth mt="xl" type="submit">
          Войти
        </Button>
      </Paper>
      <Anchor href="#" size="sm">
        Забыли пароль?
      </Anchor>
    </Container>
  );
}

createRoot(document.body.appendChild(document.createElement('div'))).render(
  <MantineProvider>
    <Login />
  </MantineProvider>,
);
