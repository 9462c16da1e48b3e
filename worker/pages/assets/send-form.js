// Submits the form that returns a response to the application. Without scripts, the user submits it.
document.getElementById('send').submit();
