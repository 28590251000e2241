// Starts `xmlcep lsp` for rules files.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = async () => {
  const [command, ...args] = vscode.workspace.getConfiguration("xmlcep").get("command");
  client = new LanguageClient("xmlcep", "xmlcep", { command, args }, { documentSelector: [{ language: "xcep" }] });
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(`${command} cannot be started (${error.message}): pip install 'xmlcep[cli,lsp]', or set xmlcep.command`);
  }
};

exports.deactivate = () => client && client.stop();
